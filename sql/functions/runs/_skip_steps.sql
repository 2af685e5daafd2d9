-- Skips the given steps, each by its verdict: 'skip' the step alone, 'skip-cascade' also everything that depends on it.
-- Their queued and started tasks become skipped and their messages are archived. Returns the steps that became skipped;
-- what waits for them is counted down by the caller. The reason is that of the given steps; the others' is
-- dependency_skipped.
create or replace function pgflow._skip_steps(p_steps pgflow.step_verdict[], p_reason text) returns pgflow.step_key[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps pgflow.step_key[];
  v_messages pgflow.message[];
begin
  with recursive given as (
    select s.flow_slug, g.run_id, g.step_slug, g.verdict, g.error_message
    from unnest(p_steps) g
    join pgflow.runs s on s.run_id = any (array[g.run_id])
  ), cascade as (
    select g.flow_slug, g.run_id, g.step_slug from given g where g.verdict = 'skip-cascade'
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
  select array_agg((s.run_id, s.step_slug)::pgflow.step_key) into v_steps from skipped s;
  perform pgflow._send_step_events(v_steps);

  with ended as (
    update pgflow.step_tasks t
    set status = 'skipped'
    from unnest(v_steps) s
    where t.run_id = any (array[s.run_id]) and t.step_slug = s.step_slug and t.status in ('queued', 'started')
    returning t.queue_name, t.message_id
  )
  select array_agg((e.queue_name, e.message_id, null)::pgflow.message) into v_messages from ended e;
  perform pgflow._archive_messages(v_messages);
  return v_steps;
end;
$$;
