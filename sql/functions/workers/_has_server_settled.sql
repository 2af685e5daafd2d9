-- Whether the server has been up for 60 s: every worker that lives has had the time to come back and beat again.
create or replace function pgflow._has_server_settled() returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select pg_postmaster_start_time() < clock_timestamp() - interval '60 seconds';
$$;
