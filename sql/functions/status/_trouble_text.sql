-- Returns what a trouble of a worker says to people.
create or replace function pgflow._trouble_text(p_trouble pgflow.worker_troubles) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select case p_trouble.trouble
    when 'unrecorded' then format('%s result%s not recorded: ', p_trouble.count, case when p_trouble.count = 1 then '' else 's' end)
    when 'claim' then 'claims fail: '
    when 'reconcile' then 'what a lost connection has claimed is not put back: '
    when 'heartbeat' then 'heartbeats fail: '
    when 'recovery' then 'recovery fails: '
    when 'executors' then format('executors keep ending, %s so far; the last: ', p_trouble.count)
    when 'connections' then format('handlers that wait for a connection to the database: %s; ', p_trouble.count)
    when 'held_back' then 'the files have more than was deployed: '
    when 'deployment' then 'a reload waits to be deployed, and the previous flows serve: '
    else ''
  end || p_trouble.error;
$$;
