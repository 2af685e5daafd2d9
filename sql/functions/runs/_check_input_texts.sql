-- Refuses inputs of which one's JSON text is more than 32 times as large as its value (program_limit_exceeded): a number such as
-- 1e131071 is stored in a few bytes and written in 131,072 characters, and what is refused here would fill the memory of the server and
-- of a worker. All numbers up to 1e308 pass. Of several inputs the error says which.
create or replace function pgflow._check_input_texts(p_inputs jsonb[]) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_input jsonb;
  v_n int := 0;
  v_size bigint;
  v_length bigint;
  v_is_refused boolean := false;
begin
  if pg_column_size(p_inputs) < 200 then
    return;
  end if;
  begin
    foreach v_input in array p_inputs loop
      v_n := v_n + 1;
      v_size := pg_column_size(v_input);
      continue when v_size is null or v_size < 200;
      v_length := null;
      v_length := octet_length(v_input::text);
      v_is_refused := v_length > 32 * v_size;
      exit when v_is_refused;
    end loop;
  exception when program_limit_exceeded or internal_error then
    v_is_refused := true; -- a gigabyte, or more
  end;
  if v_is_refused then
    raise exception 'the input% is % as JSON text, and % as a value: it holds numbers with very many digits',
      pgflow._nth(v_n, cardinality(p_inputs)), coalesce(pg_size_pretty(v_length), 'more than 1 GB'), pg_size_pretty(v_size)
      using errcode = 'program_limit_exceeded', hint = 'send such numbers as strings';
  end if;
end;
$$;
