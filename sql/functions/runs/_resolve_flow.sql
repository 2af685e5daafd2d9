-- Returns the version that a new run of this name gets: an alias's active one, or an active version by its own slug.
-- Raises with what to do for a name that cannot be started. Locks: the alias, shared, until commit.
create or replace function pgflow._resolve_flow(p_name text) returns pgflow.flows
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_alias text := coalesce(
    (select a.flow_alias from pgflow.flow_aliases a where a.flow_alias = p_name),
    (select f.flow_alias from pgflow.flows f where f.flow_slug = p_name)
  );
  v_flow pgflow.flows;
  v_missing pgflow.flows;
begin
  if v_alias is null then
    raise exception 'there is no flow or alias %', quote_nullable(p_name)
      using errcode = 'foreign_key_violation', schema = 'pgflow', table = 'runs', constraint = 'runs_flow_slug_fkey',
        hint = coalesce(
          (select 'known once its worker has deployed it; now: ' || string_agg(a.flow_alias, ', ' order by a.flow_alias)
            from pgflow.flow_aliases a where a.active_flow_slug is not null),
          'no flow is deployed yet: start a worker that has it');
  end if;
  perform pgflow._share_alias(v_alias);
  select f.* into v_flow
  from pgflow.flow_aliases a
  join pgflow.flows f on f.flow_slug = any (array[a.active_flow_slug])
  where a.flow_alias = v_alias;
  if p_name <> v_alias or v_flow.flow_slug is null then
    select f.* into v_missing from pgflow.flows f
    where f.flow_alias = v_alias and f.missing_since is not null and (f.flow_slug = p_name or p_name = v_alias)
    order by f.missing_since desc limit 1;
  end if;
  if v_missing.flow_slug is not null then
    raise exception 'flow % cannot be started: no file has it since %', quote_literal(v_missing.flow_slug),
        concat(to_char(v_missing.missing_since, case when v_missing.missing_since > now() - interval '12 hours' then 'HH24:MI' else 'YYYY-MM-DD HH24:MI' end),
          '; it was in ' || v_missing.source_file)
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'save a file that has it among those that luaflow dev loads; luaflow retry then brings back a run that was cancelled';
  end if;
  if v_flow.flow_slug is null then
    raise exception 'alias % %', quote_literal(v_alias), case
        when exists (select from pgflow.alias_activations h where h.flow_alias = v_alias) then 'was retired: it has no active version'
        else 'has no active version: none of its versions was ever active'
      end
      using errcode = 'object_not_in_prerequisite_state', hint = (
        select format('start a worker that has one of its versions without luaflow.retain: %s', string_agg(f.flow_slug, ', ' order by f.flow_slug))
        from pgflow.flows f where f.flow_alias = v_alias
      );
  end if;
  if p_name <> v_alias and v_flow.flow_slug <> p_name then
    raise exception 'flow % is not the active version of %', quote_literal(p_name), quote_literal(v_alias)
      using errcode = 'object_not_in_prerequisite_state', hint = format('start %s, whose active version is %s', v_alias, v_flow.flow_slug);
  end if;
  return v_flow;
end;
$$;
