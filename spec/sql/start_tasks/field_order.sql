-- step_task_record has positional users.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is(
  (select array_agg(a.attname::text order by a.attnum) from pg_attribute a where a.attrelid = 'pgflow.step_task_record'::regclass and a.attnum > 0),
  array['flow_slug', 'run_id', 'step_slug', 'input', 'msg_id', 'task_index', 'flow_input'], 'its fields'
);

select * from finish();
rollback;
