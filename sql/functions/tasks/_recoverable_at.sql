-- Returns the instant after which a started task counts as stalled: its effective timeout and 30 s after its claim.
create or replace function pgflow._recoverable_at(p_started_at timestamptz, p_timeout_s int) returns timestamptz
language sql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select p_started_at + make_interval(secs => p_timeout_s + 30::float8);
$$;
