-- The run's row and those of its steps, in the order of the definition.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('z'), spec.step('a', '{z}'), spec.step('m', '{a}'));
select pgflow.create_flow('bare');
select spec.start('greet', '{"who": "ada"}');
select spec.start('bare', '1', 2);
create temp table answer as select pgflow.get_run_with_states(spec.run()) as a;
select is((select a -> 'run' from answer), to_jsonb(spec.run_row()), 'the run');
select is((select jsonb_path_query_array(a, '$.steps[*].step_slug') from answer), '["z", "a", "m"]', 'the order of the steps');
select is((select a -> 'steps' -> 0 from answer), to_jsonb(spec.state('z')), 'a step');
select is((select pgflow.get_run_with_states(spec.run(2)) -> 'steps'), '[]', 'a run without steps');
select is(pgflow.get_run_with_states(spec.run(9)), null, 'an unknown run');

select * from finish();
rollback;
