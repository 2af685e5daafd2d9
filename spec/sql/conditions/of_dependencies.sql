-- A dependent step's pattern is tested against its completed dependencies; a skipped one is absent.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b', p_only_if => '{"b": true}'), spec.step('c', '{a,b}', p_only_if => '{"a": {"ok": true}}'), spec.step('d', '{a,b}', p_unless => '{"b": 1}'));
select spec.start('greet', '{}', 1);
select spec.claim_all('greet');
select spec.complete('a', '{"ok": true, "n": 1}');
select is(spec.states(1), '{"a": "completed", "b": "skipped", "c": "started", "d": "started"}'::jsonb, 'met');
select spec.start('greet', '{"b": true}', 2);
select spec.claim_all('greet');
select spec.complete_batch('{2,2}', '{a,b}', '{0,0}', array['{"ok": 1}', '1']::jsonb[]);
select is(spec.states(2), '{"a": "completed", "b": "completed", "c": "skipped", "d": "skipped"}'::jsonb, 'unmet');
select is((spec.run_row(2)).status, 'completed', 'and with all steps ended the run is completed');

select * from finish();
rollback;
