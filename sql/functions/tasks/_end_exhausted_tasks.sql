-- Fails for good the tasks of a batch whose effect is 'fail', 'skip' or 'skip-cascade', and ends their step or run by
-- it. Skipped steps let their runs continue.
create or replace function pgflow._end_exhausted_tasks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_messages text[], p_effects text[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_messages text[];
  v_effects text[];
  v_queue_names text[];
  v_message_ids bigint[];
  v_skipped_run_ids uuid[];
  v_skipped_step_slugs text[];
begin
  with failed as (
    update pgflow.step_tasks t
    set status = 'failed', failed_at = greatest(statement_timestamp(), t.queued_at, t.started_at),
      error_message = left(g.message, 8192), settled_claim_no = t.claim_no
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_messages, p_effects) as g (run_id, step_slug, task_index, message, effect)
    where t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      and g.effect in ('fail', 'skip', 'skip-cascade')
    returning t.run_id, t.step_slug, t.error_message, g.effect, t.queue_name, t.message_id
  )
  select array_agg(f.run_id), array_agg(f.step_slug), array_agg(f.error_message), array_agg(f.effect),
    array_agg(f.queue_name), array_agg(f.message_id)
  into v_run_ids, v_step_slugs, v_messages, v_effects, v_queue_names, v_message_ids
  from failed f;

  select array_agg(s.run_id), array_agg(s.step_slug) into v_skipped_run_ids, v_skipped_step_slugs
  from (
    select array_agg(g.run_id) as run_ids, array_agg(g.step_slug) as step_slugs, array_agg(g.effect) as modes,
      array_agg(g.message) as messages
    from unnest(v_run_ids, v_step_slugs, v_messages, v_effects) as g (run_id, step_slug, message, effect)
    where g.effect <> 'fail'
  ) given
  cross join pgflow._skip_steps(given.run_ids, given.step_slugs, given.modes, 'handler_failed', given.messages) s;
  perform pgflow._advance_steps(array_agg(d.run_id), array_agg(d.step_slug))
  from pgflow._count_down_dependents(v_skipped_run_ids, v_skipped_step_slugs) d;

  perform pgflow._fail_steps(array_agg(g.run_id), array_agg(g.step_slug), array_agg(g.message))
  from unnest(v_run_ids, v_step_slugs, v_messages, v_effects) as g (run_id, step_slug, message, effect)
  where g.effect = 'fail';
  perform pgflow._archive_messages(v_queue_names, v_message_ids);
end;
$$;
