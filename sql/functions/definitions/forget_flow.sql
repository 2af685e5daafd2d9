-- forget_flow(flow_slug): deletes a version that is not active and has no runs, with its steps. For operators.
-- Refused, with the reason (object_not_in_prerequisite_state), for an active version, one with runs, and one that a
-- live worker still has among its handlers. An alias that has no version left is deleted too. Raises undefined_object
-- for an unknown slug, so a repeated call says so.
-- Locks: the deployment lock and the alias, exclusively, until commit.
create or replace function pgflow.forget_flow(flow_slug text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_flow pgflow.flows;
  v_runs bigint;
  v_worker pgflow.workers;
begin
  perform pgflow._lock_deployments();
  select f.* into v_flow from pgflow.flows f where f.flow_slug = forget_flow.flow_slug;
  if not found then
    raise exception 'there is no flow %', quote_nullable(forget_flow.flow_slug)
      using errcode = 'undefined_object', hint = 'list the known flows: luaflow flows';
  end if;
  perform pgflow._lock_aliases(array[v_flow.flow_alias]);
  if exists (select from pgflow.flow_aliases a where a.active_flow_slug = v_flow.flow_slug) then
    raise exception 'flow % is the active version of alias %', v_flow.flow_slug, v_flow.flow_alias
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'deploy another version of the alias as the active one, or retire the alias, then forget this version';
  end if;
  v_runs := (select count(*) from pgflow.runs r where r.flow_slug = v_flow.flow_slug);
  if v_runs > 0 then
    raise exception 'flow % still has runs: %', v_flow.flow_slug, v_runs
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'wait until they have ended, delete them (luaflow prune --older-than), then forget this version';
  end if;
  select w.* into v_worker
  from pgflow.workers w
  join pgflow.worker_handlers h on h.worker_id = w.worker_id
  where h.flow_slug = v_flow.flow_slug and pgflow._is_alive(w)
  limit 1;
  if found then
    raise exception 'worker % of queue % still serves flow %', v_worker.worker_id, v_worker.queue_name, v_flow.flow_slug
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'remove the version from the flows of every worker and reload, or stop the workers; then forget this version';
  end if;
  perform pgflow._forget_version(v_flow);
end;
$$;
