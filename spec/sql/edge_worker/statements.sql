-- The statements of pgflow's released clients prepare, with the names and types that they give.
begin;
\ir ../support/fixtures.sql
select plan(18);

create function pg_temp.prepares(p_what text, p_statement text) returns text language plpgsql as $$
begin
  execute 'prepare client_statement as ' || p_statement;
  deallocate client_statement;
  return ok(true, p_what);
exception when others then
  return ok(false, p_what) || E'\n' || diag(sqlerrm);
end;
$$;
select pg_temp.prepares(what, statement) from (values
  ('poll', 'select * from pgmq.read_with_poll(queue_name => $1, vt => $2, qty => $3, max_poll_seconds => $4, poll_interval_ms => $5)'),
  ('start tasks', 'select * from pgflow.start_tasks(flow_slug => $1, msg_ids => $2::bigint[], worker_id => $3::uuid)'),
  ('complete', 'select pgflow.complete_task(run_id => $1::uuid, step_slug => $2::text, task_index => $3::int, output => $4::jsonb)'),
  ('fail', 'select pgflow.fail_task(run_id => $1::uuid, step_slug => $2::text, task_index => $3::int, error_message => $4::text)'),
  ('start', 'select * from pgflow.start_flow(flow_slug => $1::text, input => $2::jsonb)'),
  ('start under an id', 'select * from pgflow.start_flow(flow_slug => $1::text, input => $2::jsonb, run_id => $3::uuid)'),
  ('start with states', 'select pgflow.start_flow_with_states(flow_slug => $1::text, input => $2::jsonb, run_id => $3::uuid)'),
  ('run with states', 'select pgflow.get_run_with_states(run_id => $1::uuid)'),
  ('definition', 'select f.*, s.* from pgflow.flows f join pgflow.steps s on s.flow_slug = f.flow_slug where f.flow_slug = $1 order by s.step_index'),
  ('register', 'insert into pgflow.workers (queue_name, worker_id, function_name) values ($1, $2, $3) returning *'),
  ('heartbeat', 'update pgflow.workers w set last_heartbeat_at = clock_timestamp() where w.worker_id = $1 returning (w.deprecated_at is not null) as is_deprecated'),
  ('stop', 'update pgflow.workers w set stopped_at = clock_timestamp(), last_heartbeat_at = clock_timestamp() where w.worker_id = $1 returning *'),
  ('compile', 'select pgflow.ensure_flow_compiled($1, $2::jsonb, $3) as result'),
  ('compile with two arguments', 'select pgflow.ensure_flow_compiled(flow_slug => $1::text, shape => $2::jsonb) as result'),
  ('track', 'select pgflow.track_worker_function($1)'),
  ('mark stopped', 'select pgflow.mark_worker_stopped($1::uuid)'),
  ('local', 'select pgflow.is_local() as is_local'),
  ('visibility', 'select * from pgflow.set_vt_batch(queue_name => $1, msg_ids => $2::bigint[], vt_offsets => $3::int[])')
) s (what, statement);

select * from finish();
rollback;
