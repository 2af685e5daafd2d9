-- skip: dependents go on without it, and a map over it completes with [].
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_only_if => '{"x": 1}'), spec.step('b', '{a}'), spec.map('m', 'a'));
select spec.start('greet');
select is(spec.states(), '{"a": "skipped", "b": "started", "m": "completed"}'::jsonb, 'the states');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'task'), '{}'::jsonb, 'b reads nothing');

select * from finish();
rollback;
