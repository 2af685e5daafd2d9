-- A step that only single steps read may produce anything.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.complete('a', '{"an": "object"}');
select is(spec.states(), '{"a": "completed", "b": "started"}'::jsonb, 'no violation');

select * from finish();
rollback;
