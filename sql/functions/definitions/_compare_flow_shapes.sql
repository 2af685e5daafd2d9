-- What differs between two shapes, in words; empty where they are equal. Options are never compared.
create or replace function pgflow._compare_flow_shapes(p_local jsonb, p_db jsonb) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_local_count int := jsonb_array_length(p_local -> 'steps');
  v_db_count int := jsonb_array_length(p_db -> 'steps');
  v_differences text[] := '{}';
  v_local jsonb;
  v_db jsonb;
  v_at text;
  v_key text;
begin
  if v_local_count <> v_db_count then
    v_differences := v_differences || format('Step count differs: %s vs %s', v_local_count, v_db_count);
  end if;
  for v_index in 0 .. greatest(v_local_count, v_db_count) - 1 loop
    v_local := p_local -> 'steps' -> v_index;
    v_db := p_db -> 'steps' -> v_index;
    v_at := format('Step at index %s: ', v_index);
    if v_local is null then
      v_differences := v_differences || (v_at || format('missing in first shape (second has ''%s'')', v_db ->> 'slug'));
      continue;
    elsif v_db is null then
      v_differences := v_differences || (v_at || format('missing in second shape (first has ''%s'')', v_local ->> 'slug'));
      continue;
    end if;
    foreach v_key in array array['slug', 'stepType', 'whenUnmet', 'whenExhausted'] loop
      if v_local ->> v_key <> v_db ->> v_key then
        v_differences := v_differences || (v_at || format(
          '%s differs ''%s'' vs ''%s''', case v_key when 'stepType' then 'type' else v_key end, v_local ->> v_key, v_db ->> v_key
        ));
      end if;
    end loop;
    if pgflow._sorted_texts(v_local -> 'dependencies') <> pgflow._sorted_texts(v_db -> 'dependencies') then
      v_differences := v_differences || (v_at || format(
        'dependencies differ [%s] vs [%s]',
        array_to_string(pgflow._sorted_texts(v_local -> 'dependencies'), ', '),
        array_to_string(pgflow._sorted_texts(v_db -> 'dependencies'), ', ')
      ));
    end if;
    foreach v_key in array array['requiredInputPattern', 'forbiddenInputPattern'] loop
      if v_local -> v_key is distinct from v_db -> v_key then
        v_differences := v_differences || (v_at || format(
          '%s differs ''%s'' vs ''%s''', v_key, v_local -> v_key -> 'value', v_db -> v_key -> 'value'
        ));
      end if;
    end loop;
  end loop;
  return v_differences;
end;
$$;
