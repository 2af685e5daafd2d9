-- Returns whether a role's code may be run with the rights of the functions' owner: a superuser's, that owner's own,
-- and what pgflow.settings lists in trusted_roles.
create or replace function pgflow._is_trusted_role(p_role oid) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select from pg_catalog.pg_roles r
    where r.oid = p_role
      and (r.rolsuper or r.rolname = current_user or r.rolname = any (array(select unnest(s.trusted_roles) from pgflow.settings s)))
  );
end;
$$;
