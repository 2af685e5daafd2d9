-- calculate_retry_delay(base_delay, attempts_count) -> seconds: base_delay * 2^attempts_count, at most 24 hours, never
-- overflowing. attempts_count includes the attempt that has just failed, so the first retry waits twice the base.
create or replace function pgflow.calculate_retry_delay(base_delay numeric, attempts_count int) returns int
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select least(floor(base_delay * power(2::numeric, least(greatest(attempts_count, 0), 40))), 86400)::int;
$$;
