-- Returns the id from which on ids count as given by nobody: a writer of a row with such an id would use up all that
-- there are. A counter that somebody has set there, the last id of which is given, goes on, past rows near ahead of it.
create or replace function pgflow._far_message_id(p_last_message_id bigint) returns bigint
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select greatest((1::bigint << 62) - (1::bigint << 40), p_last_message_id + (1 << 20));
$$;
