-- Returns why the tables that there are for a queue must not be used; null if they may. A role that owns a table, or
-- has put a trigger, rule, policy, reference or heir to it, could run code with the rights of the functions' owner. It
-- reads the catalog alone, and comes before everything that reads such a table.
create or replace function pgflow._queue_distrust(p_queue_name text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select format('table pgmq.%I %s; luaflow would run another role''s code with the rights of role %I', c.relname, f.fault, current_user)
    from pg_catalog.pg_class c
    cross join pgflow._table_faults(c.oid) f
    where c.relnamespace = to_regnamespace('pgmq')
      and c.relname in (pgmq.format_table_name(p_queue_name, 'q'), pgmq.format_table_name(p_queue_name, 'a'))
    order by c.relname desc, f.n, f.fault limit 1
  );
end;
$$;
