-- Functions that are kept from pgflow keep their argument names.
begin;
\ir ../support/fixtures.sql
select plan(8);

select is((select (p.proargnames)[1:p.pronargs] from pg_proc p where p.oid = k.name::regproc), k.arguments, k.name)
from (values
  ('pgflow.is_valid_slug', '{slug}'::text[]), ('pgflow.calculate_retry_delay', '{base_delay,attempts_count}'),
  ('pgflow.create_flow', '{flow_slug,max_attempts,base_delay,timeout}'),
  ('pgflow.add_step', '{flow_slug,step_slug,deps_slugs,max_attempts,base_delay,timeout,start_delay,step_type,required_input_pattern,forbidden_input_pattern,when_unmet,when_exhausted}'),
  ('pgflow.start_flow', '{flow_slug,input,run_id,idempotency_key}'), ('pgflow.start_tasks', '{flow_slug,msg_ids,worker_id}'),
  ('pgflow.complete_task', '{run_id,step_slug,task_index,output}'), ('pgflow.fail_task', '{run_id,step_slug,task_index,error_message}')
) as k (name, arguments);

select * from finish();
rollback;
