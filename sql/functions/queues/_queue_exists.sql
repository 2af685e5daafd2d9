-- Returns whether a queue is there to be looked at: it is recorded, the table of its messages exists, and that and its
-- archive are ordinary tables of roles that are trusted. Otherwise a role that may create in schema pgmq could put a
-- view there, whose code would run with the rights of the functions' owner.
create or replace function pgflow._queue_exists(p_queue_name text) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from pgflow.queues q where q.queue_name = p_queue_name) and coalesce((
    select bool_or(c.relname = pgmq.format_table_name(p_queue_name, 'q')) and bool_and(c.relkind in ('r', 'p') and pgflow._is_trusted_role(c.relowner))
    from pg_catalog.pg_class c
    where c.relnamespace = to_regnamespace('pgmq')
      and c.relname in (pgmq.format_table_name(p_queue_name, 'q'), pgmq.format_table_name(p_queue_name, 'a'))
  ), false);
end;
$$;
