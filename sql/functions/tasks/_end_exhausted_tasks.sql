-- Fails for good the tasks of a batch whose verdict is 'fail', 'skip', 'skip-cascade' or 'null', and ends their step or
-- run by it. Skipped steps let their runs continue; elements whose output is null are counted as done.
create or replace function pgflow._end_exhausted_tasks(p_callbacks pgflow.callback[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_verdict[];
  v_messages pgflow.message[];
begin
  with failed as (
    update pgflow.step_tasks t
    set status = 'failed', failed_at = greatest(statement_timestamp(), t.queued_at, t.started_at),
      error_message = left(g.message, 8192), settled_claim_no = t.claim_no
    from unnest(p_callbacks) g
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      and g.verdict in ('fail', 'skip', 'skip-cascade', 'null')
    returning t.run_id, t.step_slug, t.error_message, g.verdict, t.queue_name, t.message_id
  )
  select array_agg((f.run_id, f.step_slug, f.verdict, f.error_message)::pgflow.step_verdict),
    array_agg((f.queue_name, f.message_id, null)::pgflow.message)
  into v_steps, v_messages
  from failed f;
  perform pgflow._finish_tasks(p_callbacks);
  perform pgflow._advance_steps(pgflow._count_down_dependents(
    pgflow._skip_steps(array(select s from unnest(v_steps) s where s.verdict in ('skip', 'skip-cascade')), 'handler_failed')
  ));
  perform pgflow._fail_steps(array(select s from unnest(v_steps) s where s.verdict = 'fail'));
  perform pgflow._archive_messages(v_messages);
end;
$$;
