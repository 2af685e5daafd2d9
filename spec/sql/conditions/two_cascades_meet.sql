-- Two cascades over the same step count it once.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_only_if => '{"x": 1}', p_when_unmet => 'skip-cascade'), spec.step('b', p_only_if => '{"x": 1}', p_when_unmet => 'skip-cascade'),
  spec.step('plain', p_only_if => '{"x": 1}'), spec.step('join', '{a,b,plain}'), spec.step('last'));
select spec.start('greet');
select is(spec.states(), '{"a": "skipped", "b": "skipped", "plain": "skipped", "join": "skipped", "last": "started"}'::jsonb, 'the states');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');

select * from finish();
rollback;
