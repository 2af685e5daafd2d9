-- Skips the given steps, each by its mode: 'skip' the step alone, 'skip-cascade' also everything that depends on it.
-- Their queued and started tasks become skipped and their messages are archived. Returns the steps that became skipped;
-- what waits for them is counted down by the caller. The reason is that of the given steps; the others' is
-- dependency_skipped.
create or replace function pgflow._skip_steps(
  p_run_ids uuid[], p_step_slugs text[], p_modes text[], p_reason text, p_error_messages text[]
) returns table (run_id uuid, step_slug text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_queue_names text[];
  v_message_ids bigint[];
begin
  with recursive given as (
    select s.flow_slug, g.run_id, g.step_slug, g.mode, g.error_message
    from unnest(p_run_ids, p_step_slugs, p_modes, p_error_messages) as g (run_id, step_slug, mode, error_message)
    join pgflow.runs s on s.run_id = any (array[g.run_id])
  ), cascade as (
    select g.flow_slug, g.run_id, g.step_slug from given g where g.mode = 'skip-cascade'
    union
    select c.flow_slug, c.run_id, d.step_slug
    from cascade c
    join pgflow.deps d on d.flow_slug = any (array[c.flow_slug]) and d.dep_slug = c.step_slug
  ), doomed as (
    select distinct on (u.run_id, u.step_slug) u.run_id, u.step_slug, u.reason, u.error_message
    from (
      select g.run_id, g.step_slug, p_reason as reason, g.error_message, 0 as preference from given g
      union all
      select c.run_id, c.step_slug, 'dependency_skipped', null, 1 from cascade c
    ) u
    order by u.run_id, u.step_slug, u.preference
  ), skipped as (
    update pgflow.step_states s
    set status = 'skipped', skipped_at = greatest(statement_timestamp(), s.created_at), skip_reason = x.reason,
      error_message = x.error_message, remaining_tasks = null
    from doomed x
    where s.run_id = any (array[x.run_id]) and s.step_slug = x.step_slug and s.status in ('created', 'started')
    returning s.run_id, s.step_slug
  )
  select array_agg(s.run_id), array_agg(s.step_slug) into v_run_ids, v_step_slugs from skipped s;

  perform pgflow._send_step_events(v_run_ids, v_step_slugs);

  with ended as (
    update pgflow.step_tasks t
    set status = 'skipped'
    from unnest(v_run_ids, v_step_slugs) as s (run_id, step_slug)
    where t.run_id = any (array[s.run_id]) and t.step_slug = s.step_slug and t.status in ('queued', 'started')
    returning t.queue_name, t.message_id
  )
  select array_agg(e.queue_name), array_agg(e.message_id) into v_queue_names, v_message_ids from ended e;
  perform pgflow._archive_messages(v_queue_names, v_message_ids);
  return query select s.run_id, s.step_slug from unnest(v_run_ids, v_step_slugs) as s (run_id, step_slug);
end;
$$;
