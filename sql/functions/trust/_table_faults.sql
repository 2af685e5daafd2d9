-- Returns what on a table, or on who may do what to it, could run another role's code with the rights of the functions'
-- owner; the gravest has the lowest n. It reads the catalog alone.
create or replace function pgflow._table_faults(p_table oid) returns table (n int, fault text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
    select f.n, f.fault
    from pg_catalog.pg_class c
    cross join lateral (
      select 1, 'is not a plain table' where c.relkind <> 'r'
      union all
      select 2, format('belongs to role %I', pg_get_userbyid(c.relowner)) where not pgflow._is_trusted_role(c.relowner)
      union all
      select 3, case when g.tgqual is null then format('has trigger %I, whose function belongs to role %I', g.tgname, pg_get_userbyid(p.proowner))
        else format('has trigger %I with a condition', g.tgname) end
      from pg_catalog.pg_trigger g
      join pg_catalog.pg_proc p on p.oid = g.tgfoid
      where g.tgrelid = c.oid and not g.tgisinternal and (g.tgqual is not null or not pgflow._is_trusted_role(p.proowner))
      union all
      select 4, 'has rules' where exists (select from pg_catalog.pg_rewrite w where w.ev_class = c.oid)
      union all
      select 5, 'has row-level security' where c.relrowsecurity
      union all
      select 6, 'inherits from another table, or another inherits from it'
      where exists (select from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
      union all
      select 7, format('is referenced by table %s', k.conrelid::regclass)
      from pg_catalog.pg_constraint k
      where k.confrelid = c.oid and k.contype = 'f'
      union all
      select 8, format('can get triggers or foreign keys from %s (revoke trigger, references on it)',
        case when a.grantee = 0 then 'every role' else format('role %I', pg_get_userbyid(a.grantee)) end)
      from (
        select c.relacl union all select t.attacl from pg_catalog.pg_attribute t where t.attrelid = c.oid and not t.attisdropped
      ) g (acl)
      cross join aclexplode(g.acl) a
      where a.privilege_type in ('TRIGGER', 'REFERENCES') and a.grantee <> c.relowner and not pgflow._is_trusted_role(a.grantee)
    ) f (n, fault)
    where c.oid = p_table;
end;
$$;
