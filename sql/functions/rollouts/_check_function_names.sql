-- Raises undefined_object if one of the names is not a worker function, with those that there are.
create or replace function pgflow._check_function_names(p_function_names text[]) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_unknown text := (
    select string_agg(coalesce(n.name, 'NULL'), ', ' order by n.name) from unnest(p_function_names) as n (name)
    where not exists (select from pgflow.worker_functions f where f.function_name = n.name)
  );
begin
  if coalesce(cardinality(p_function_names), 0) = 0 then
    raise exception 'no worker function is named' using errcode = 'invalid_parameter_value', hint = 'name at least one: luaflow functions lists them';
  end if;
  if v_unknown is not null then
    raise exception 'there is no worker function %', v_unknown
      using errcode = 'undefined_object', hint = coalesce(
        'known: ' || (select string_agg(f.function_name, ', ' order by f.function_name) from pgflow.worker_functions f),
        'start a worker: its first deployment creates its function'
      );
  end if;
end;
$$;
