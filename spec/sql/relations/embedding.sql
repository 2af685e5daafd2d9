-- Rows of a run are embedded by functions, as PostgREST does it where there is no foreign key.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.map('m'));
select spec.start('greet', '[1, 2]');
select spec.start('greet', '[3]', 2);
set local role pgflow_reader;
select is(
  (select jsonb_object_agg(s.step_slug, (select jsonb_agg(t.task_index order by t.task_index) from pgflow.step_tasks(s) t))
    from pgflow.runs r, pgflow.step_states(r) s where r.run_id = '00000000-0000-4000-8000-000000000001'),
  '{"a": [0], "m": [0, 1]}', 'steps of a run, tasks of a step');
select is(
  (select array_agg(distinct (s.step_slug, d.step_type)::text) from pgflow.step_states s, pgflow.steps(s) d where s.run_id = '00000000-0000-4000-8000-000000000002'),
  '{"(a,single)","(m,map)"}', 'the definition of a step');
select is((select count(*) from pgflow.step_states s, pgflow.runs(s)), 4::bigint, 'the run of each state');
reset role;
select is(spec.outcome_as('pgflow_starter', 'select pgflow.step_states(r) from pgflow.runs r'), '42501', 'with the caller''s rights alone');

select * from finish();
rollback;
