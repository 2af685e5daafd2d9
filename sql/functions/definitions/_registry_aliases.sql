-- Returns the aliases whose locks a deployment needs: those that it moves from one version to another, and those of
-- flows that it recreates. A run of another alias that is being started is of the version that stays active, which the
-- registry covers in any case; runs of inactive versions begin under the deployment lock (retry_run). So a deployment
-- that changes nothing needs none. The deployment lock keeps all of this as it is.
create or replace function pgflow._registry_aliases(p_registry jsonb) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select a.flow_alias
    from jsonb_array_elements(p_registry -> 'flows') as f (value)
    join pgflow.flow_aliases a on a.flow_alias = f.value ->> 'alias' and a.active_flow_slug <> f.value ->> 'slug'
    where pgflow._registry_fault(f.value, p_registry) is null and (pgflow._judge_alias(f.value, p_registry)).replaced_slug is not null
    union
    select f.value ->> 'alias'
    from jsonb_array_elements(p_registry -> 'flows') as f (value)
    where (select s.development from pgflow.settings s) and (pgflow._check_flow_deployment(f.value, p_registry)).status = 'recreated'
    order by 1
  );
$$;
