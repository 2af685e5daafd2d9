-- Points an alias at a version and writes the history. Returns true if that moved it. The caller holds the deployment
-- lock.
-- Locks: the alias's row; and, if a version is replaced, the alias, exclusively, until commit: no start resolves the
-- name meanwhile. An alias without an active version cannot be started.
create or replace function pgflow._activate_alias(p_flow_alias text, p_flow_slug text, p_worker_id uuid) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_from text := (select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = p_flow_alias);
begin
  if v_from is not distinct from p_flow_slug then
    return false;
  end if;
  if v_from is not null then
    perform pgflow._lock_aliases(array[p_flow_alias]);
  end if;
  update pgflow.flow_aliases a set active_flow_slug = p_flow_slug where a.flow_alias = p_flow_alias;
  insert into pgflow.alias_activations (flow_alias, from_flow_slug, to_flow_slug, worker_id)
  values (p_flow_alias, v_from, p_flow_slug, p_worker_id);
  return true;
end;
$$;
