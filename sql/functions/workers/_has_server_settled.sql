-- Returns whether the server has been up for 60 s: every worker that lives has had the time to come back and beat
-- again. One that started in the future has been up since before the clock was set back.
create or replace function pgflow._has_server_settled() returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select not pgflow._is_near(pg_postmaster_start_time(), interval '60 seconds');
$$;
