-- Returns why PGMQ must not be used, and what to do about it; nulls if it may. A role that owns its schema or a
-- function there, or may create in it, could put code in the place of PGMQ's (a function that fits a call better),
-- which would run with the rights of the functions' owner. It reads the catalog alone.
create or replace function pgflow._pgmq_distrust(out reason text, out remedy text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  select format('%s; luaflow would run another role''s code with the rights of role %I', f.fault, current_user), f.remedy into reason, remedy
  from (
    select 1, format('schema pgmq belongs to role %I', pg_get_userbyid(n.nspowner)), format('alter schema pgmq owner to %I', current_user)
    from pg_catalog.pg_namespace n
    where n.nspname = 'pgmq' and not pgflow._is_trusted_role(n.nspowner)
    union all
    select 2, case when a.grantee = 0 then 'every role may create in schema pgmq'
      else format('role %I may create in schema pgmq', pg_get_userbyid(a.grantee)) end,
      'revoke create on schema pgmq from ' || case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end
    from pg_catalog.pg_namespace n
    cross join aclexplode(n.nspacl) a
    where n.nspname = 'pgmq' and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner and not pgflow._is_trusted_role(a.grantee)
    union all
    select 3, format('function %s belongs to role %I', p.oid::regprocedure, pg_get_userbyid(p.proowner)),
      format('if it does not belong to PGMQ: drop function %s; else add the role that you trust to trusted_roles in pgflow.settings', p.oid::regprocedure)
    from (select distinct o.proowner from pg_catalog.pg_proc o where o.pronamespace = to_regnamespace('pgmq')) o
    join pg_catalog.pg_proc p on p.proowner = o.proowner and p.pronamespace = to_regnamespace('pgmq')
    where not pgflow._is_trusted_role(o.proowner)
  ) f (n, fault, remedy)
  order by f.n, f.fault limit 1;
end;
$$;
