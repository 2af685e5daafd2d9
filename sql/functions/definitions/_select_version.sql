-- Activates one flow of a registry under its alias, last of all (I8). A registry that lacks the version that is active
-- now does not move the alias: a stale replica cannot take it back (I2). Returns one row: what happened to the alias,
-- and a sentence about it or null.
create or replace function pgflow._select_version(p_flow jsonb, p_registry jsonb, p_worker_id uuid)
returns table (alias_status text, message text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_alias text := p_flow ->> 'alias';
  v_active text := (select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = v_alias);
begin
  if (p_flow ->> 'retained')::boolean then
    return query select 'retained', null::text;
  elsif v_active is not null
    and not exists (select from jsonb_array_elements(p_registry -> 'flows') f where f.value ->> 'slug' = v_active) then
    return query select 'kept', format('alias %s stays at %s, because this worker does not have that version', v_alias, v_active);
  elsif pgflow._activate_alias(v_alias, p_flow ->> 'slug', p_worker_id) then
    return query select 'activated', case when v_active is not null then format('alias %s moved from %s', v_alias, v_active) end;
  else
    return query select 'already active', null::text;
  end if;
end;
$$;
