-- Why the tables that there are for a queue must not be used; null where they may. Whoever owns a table, or has put a trigger, rule, policy or heir to it, could run
-- code with the rights of the functions' owner. It reads the catalog alone, and comes before everything that reads such a table.
create or replace function pgflow._queue_distrust(p_queue_name text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select format(
      'table pgmq.%I %s; luaflow would run code of somebody else with the rights of role %I', c.relname,
      case
        when c.relkind <> 'r' then 'is not a plain table'
        when not pgflow._is_trusted_role(c.relowner) then format('belongs to role %I', pg_get_userbyid(c.relowner))
        when t.tgname is not null then format('has trigger %I, whose function belongs to role %I', t.tgname, pg_get_userbyid(t.proowner))
        when exists (select from pg_catalog.pg_rewrite w where w.ev_class = c.oid) then 'has rules'
        when c.relrowsecurity then 'has row-level security'
        else 'inherits from another table, or another inherits from it'
      end, current_user
    )
    from pg_catalog.pg_class c
    left join lateral (
      select g.tgname, p.proowner
      from pg_catalog.pg_trigger g
      join pg_catalog.pg_proc p on p.oid = g.tgfoid
      where g.tgrelid = c.oid and not g.tgisinternal and not pgflow._is_trusted_role(p.proowner)
      order by g.tgname limit 1
    ) t on true
    where c.relnamespace = to_regnamespace('pgmq')
      and c.relname in (pgmq.format_table_name(p_queue_name, 'q'), pgmq.format_table_name(p_queue_name, 'a'))
      and (
        c.relkind <> 'r' or not pgflow._is_trusted_role(c.relowner) or t.tgname is not null or c.relrowsecurity
        or exists (select from pg_catalog.pg_rewrite w where w.ev_class = c.oid)
        or exists (select from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
      )
    order by c.relname desc limit 1
  );
end;
$$;
