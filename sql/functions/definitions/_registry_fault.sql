-- Returns what is wrong with one flow of a registry on its own, whatever is stored; null if nothing is.
create or replace function pgflow._registry_fault(p_flow jsonb, p_registry jsonb) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text := p_flow ->> 'slug';
  v_alias text := p_flow ->> 'alias';
  v_active text;
begin
  if not pgflow.is_valid_slug(v_slug) or not pgflow.is_valid_slug(v_alias) then
    return 'its slug or its alias is not valid';
  end if;
  if (select count(*) from jsonb_array_elements(p_registry -> 'flows') as f (value) where f.value ->> 'slug' = v_slug) > 1 then
    return 'the registry has the flow more than once';
  end if;
  if not coalesce((p_flow ->> 'retained')::boolean, false) then
    select string_agg(f.value ->> 'slug', ', ' order by f.value ->> 'slug') into v_active
    from jsonb_array_elements(p_registry -> 'flows') as f (value)
    where f.value ->> 'alias' = v_alias and f.value ->> 'slug' <> v_slug and not coalesce((f.value ->> 'retained')::boolean, false);
    if v_active is not null then
      return format('alias %s can have one active version, but %s is active too: use luaflow.retain on all versions but one', v_alias, v_active);
    end if;
  end if;
  if jsonb_typeof(p_flow #> '{shape,steps}') is distinct from 'array' or jsonb_typeof(p_flow -> 'routing') is distinct from 'object' then
    return 'its shape has no array of steps, or its routing is not an object';
  end if;
  if array(select s.value ->> 'slug' from jsonb_array_elements(p_flow #> '{shape,steps}') as s (value) order by 1)
    <> array(select r.key from jsonb_each(p_flow -> 'routing') as r (key, value) order by 1) then
    return 'its routing must name a queue for each step and for nothing else, and each step must have its own slug';
  end if;
  return null;
end;
$$;
