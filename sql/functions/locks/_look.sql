-- Returns the one value of a query as text. Gives back the locks that it took, on the tables of queues and all that
-- belongs to them, which would else be held to the end of the transaction: the server has room for some thousands in
-- all, and a function that looks at every queue must not fill it.
create or replace function pgflow._look(p_query text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value text;
begin
  begin
    execute p_query into v_value;
    raise exception 'a look is over' using errcode = 'LF002';
  exception when sqlstate 'LF002' then
    return v_value;
  end;
end;
$$;
