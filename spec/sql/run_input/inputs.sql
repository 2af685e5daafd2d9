-- The run's input; null for an unknown run.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', '{"n": [9007199254740993]}');
select is(pgflow.run_input(spec.run()), '{"n": [9007199254740993]}'::jsonb, 'known');
select is(pgflow.run_input(spec.run(2)), null, 'unknown');

select * from finish();
rollback;
