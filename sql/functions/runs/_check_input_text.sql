-- Refuses an input whose JSON text is more than 32 times as large as its value (program_limit_exceeded): a number such as 1e131071 is
-- stored in a few bytes and written in 131,072 characters, and what is refused here would fill the memory of the server and of a worker.
-- All numbers up to 1e308 pass.
create or replace function pgflow._check_input_text(p_input jsonb) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_size bigint := pg_column_size(p_input);
  v_length bigint;
begin
  if v_size is null or v_size < 200 then
    return;
  end if;
  begin
    v_length := octet_length(p_input::text);
  exception when program_limit_exceeded or internal_error then
    v_length := null; -- a gigabyte, or more
  end;
  if v_length is null or v_length > 32 * v_size then
    raise exception 'the input is % as JSON text, and % as a value: it holds numbers with very many digits',
      coalesce(pg_size_pretty(v_length), 'more than 1 GB'), pg_size_pretty(v_size)
      using errcode = 'program_limit_exceeded', hint = 'send such numbers as strings';
  end if;
end;
$$;
