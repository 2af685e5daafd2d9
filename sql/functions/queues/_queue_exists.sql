-- Whether the table of a queue's messages exists.
create or replace function pgflow._queue_exists(p_queue_name text) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select to_regclass(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q'))) is not null;
$$;
