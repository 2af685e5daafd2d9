-- Deletes a flow with its runs (_drop_flow). If it was the active version, its alias is left without one, which the
-- history records; an alias that has no version left is deleted with its history, so its name is free again. The caller
-- holds the deployment lock.
-- Locks: the alias, exclusively, until commit; then as _drop_flow.
create or replace function pgflow._forget_version(p_flow pgflow.flows) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._lock_aliases(array[p_flow.flow_alias]);
  if exists (select from pgflow.flow_aliases a where a.active_flow_slug = p_flow.flow_slug) then
    perform pgflow._activate_alias(p_flow.flow_alias, null, null);
  end if;
  perform pgflow._drop_flow(p_flow.flow_slug);
  if not exists (select from pgflow.flows f where f.flow_alias = p_flow.flow_alias) then
    delete from pgflow.alias_activations h where h.flow_alias = p_flow.flow_alias;
    delete from pgflow.flow_aliases a where a.flow_alias = p_flow.flow_alias;
  end if;
end;
$$;
