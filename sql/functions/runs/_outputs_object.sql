-- Returns the object of the given keys and outputs; SQL null counts as JSON null. Null for no keys. Large outputs go
-- over text: jsonb_object_agg takes 4 s for an output of 300,000 keys, and several times that for twice as many.
create or replace function pgflow._outputs_object(p_keys text[], p_outputs jsonb[]) returns jsonb
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_column_size(p_outputs) < 500000 then
    return (select jsonb_object_agg(o.key, coalesce(o.output, 'null')) from unnest(p_keys, p_outputs) as o (key, output));
  end if;
  return (
    select '{' || string_agg(to_json(o.key) || ':' || coalesce(o.output, 'null'), ',') || '}'
    from unnest(p_keys, p_outputs) as o (key, output)
  )::jsonb;
end;
$$;
