-- Returns a stored error as people read it: of an error table of luaflow's own calls, stored as JSON, which has a kind and
-- a message, the message; any other text as it is.
create or replace function pgflow._error_text(p_stored text) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_error jsonb;
begin
  if p_stored like '{%' then
    begin
      v_error := p_stored::jsonb;
    exception when data_exception or program_limit_exceeded then
      return p_stored;
    end;
    if jsonb_typeof(v_error -> 'kind') = 'string' and jsonb_typeof(v_error -> 'message') = 'string' then
      return v_error ->> 'message';
    end if;
  end if;
  return p_stored;
end;
$$;
