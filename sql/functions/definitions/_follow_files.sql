-- Makes the definitions what the files of luaflow dev have, whichever queue they are of, in the order: what has changed
-- or is in the way is deleted with its data, what no file has is retired, what is not stored is, and each alias gets the
-- version that is not retained, or none. Returns what _file_changes does, 'created' for flows that are new, and what
-- became of the aliases, as deploy_flows. A flow that deploy_flows would refuse is left to it.
-- Locks: the deployment lock; the aliases of what changes (_files_aliases), exclusively; then as _drop_flow and
-- _retire_missing_flow.
create or replace function pgflow._follow_files(p_files jsonb, p_worker_id uuid, p_function_name text)
returns table (flow_slug text, status text, alias_status text, differences text[], message text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_flow record;
  v_from text;
begin
  perform pgflow._lock_aliases(pgflow._files_aliases(p_files));
  for v_flow in select c.*, f as stored from pgflow._file_changes(p_files) c join pgflow.flows f on f.flow_slug = c.flow_slug loop
    if v_flow.change in ('recreated', 'deleted') then
      perform pgflow._forget_version(v_flow.stored);
    elsif v_flow.change = 'retired' then
      perform pgflow._retire_missing_flow(v_flow.flow_slug, v_flow.message);
    end if;
    return query select v_flow.flow_slug, v_flow.change, null::text, v_flow.differences, v_flow.message;
  end loop;
  for v_flow in
    select e.value as flow, e.value ->> 'slug' as slug, e.value ->> 'alias' as alias, s.flow_slug is null as is_new,
      pgflow._check_flow_deployment(e.value, p_files) as check
    from jsonb_array_elements(p_files -> 'flows') as e (value)
    left join pgflow.flows s on s.flow_slug = e.value ->> 'slug'
    order by 2
  loop
    continue when (v_flow.check).status not in ('created', 'verified'); -- for the worker that has it to refuse
    if v_flow.is_new then
      perform pgflow._store_flow(v_flow.flow, 'created', p_worker_id, p_function_name);
      return query select v_flow.slug, 'created', null::text, '{}'::text[], null::text;
    end if;
    update pgflow.flows f set source_file = v_flow.flow ->> 'file', missing_since = null
    where f.flow_slug = v_flow.slug and (f.source_file, f.missing_since) is distinct from (v_flow.flow ->> 'file', null);
    v_from := (select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = v_flow.alias);
    if not (v_flow.flow ->> 'retained')::boolean and pgflow._activate_alias(v_flow.alias, v_flow.slug, p_worker_id) then
      return query select v_flow.slug, null, 'activated', '{}'::text[],
        case when v_from is not null then format('alias %s moved from %s', v_flow.alias, v_from) end;
    end if;
  end loop;
  perform pgflow._activate_alias(a.flow_alias, null, p_worker_id)
  from pgflow.flow_aliases a join pgflow.flows f on f.flow_slug = a.active_flow_slug where f.missing_since is not null;
end;
$$;
