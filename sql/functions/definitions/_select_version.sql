-- Activates one flow of a registry under its alias, last of all (I8). A registry that lacks the version that is active now
-- does not move the alias: a stale replica cannot take it back (I2).
create or replace function pgflow._select_version(p_flow jsonb, p_registry jsonb, p_worker_id uuid) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_active text;
begin
  if (p_flow ->> 'retained')::boolean then
    return 'retained';
  end if;
  select a.active_flow_slug into v_active from pgflow.flow_aliases a where a.flow_alias = p_flow ->> 'alias';
  if v_active is not null
    and not exists (select from jsonb_array_elements(p_registry -> 'flows') f where f.value ->> 'slug' = v_active) then
    return 'kept';
  end if;
  if pgflow._activate_alias(p_flow ->> 'alias', p_flow ->> 'slug', p_worker_id) then
    return 'activated';
  end if;
  return 'already active';
end;
$$;
