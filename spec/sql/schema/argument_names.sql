-- Functions that are kept from pgflow keep their argument names.
begin;
\ir ../support/fixtures.sql
select plan(22);

select is((select (p.proargnames)[1:p.pronargs] from pg_proc p where p.oid = k.name::regproc), k.arguments, k.name)
from (values
  ('pgflow.is_valid_slug', '{slug}'::text[]), ('pgflow.calculate_retry_delay', '{base_delay,attempts_count}'),
  ('pgflow.create_flow', '{flow_slug,max_attempts,base_delay,timeout}'),
  ('pgflow.add_step', '{flow_slug,step_slug,deps_slugs,max_attempts,base_delay,timeout,start_delay,step_type,required_input_pattern,forbidden_input_pattern,when_unmet,when_exhausted}'),
  ('pgflow.start_flow', '{flow_slug,input,run_id,idempotency_key}'), ('pgflow.start_flows', '{flow_slug,inputs,idempotency_keys}'), ('pgflow.start_tasks', '{flow_slug,msg_ids,worker_id}'),
  ('pgflow.complete_task', '{run_id,step_slug,task_index,output}'), ('pgflow.fail_task', '{run_id,step_slug,task_index,error_message}'),
  ('pgflow.is_local', null), ('pgflow.set_vt_batch', '{queue_name,msg_ids,vt_offsets}'), ('pgflow.poll_for_tasks', '{queue_name,vt,qty,max_poll_seconds,poll_interval_ms}'),
  ('pgflow.start_flow_with_states', '{flow_slug,input,run_id}'), ('pgflow.get_run_with_states', '{run_id}'), ('pgflow.ensure_flow_compiled', '{flow_slug,shape,allow_data_loss}'),
  ('pgflow.delete_flow_and_data', '{p_flow_slug}'), ('pgflow.cascade_resolve_conditions', '{run_id}'), ('pgflow.cascade_complete_taskless_steps', '{run_id}'),
  ('pgflow.start_ready_steps', '{run_id}'), ('pgflow._cascade_force_skip_steps', '{run_id,step_slug,skip_reason}'), ('pgflow.mark_worker_stopped', '{worker_id}'),
  ('pgflow.track_worker_function', '{function_name}')
) as k (name, arguments);

select * from finish();
rollback;
