-- Returns whether the caller may have flows deleted with their data and created again: in a database that `luaflow dev`
-- made, or one that has Supabase's public secret (is_local). Every role can set that for its own session, so it counts
-- only if the database itself has it, or the caller is a member of the functions' owner. For functions that run as the
-- owner.
create or replace function pgflow._may_recreate_flows() returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (select s.development from pgflow.settings s)
    or pgflow.is_local() and (
      pg_has_role(coalesce(nullif(current_setting('role'), 'none'), session_user)::name, current_user, 'member')
      or exists (
        select from pg_db_role_setting s
        cross join unnest(s.setconfig) as c (setting)
        where s.setrole = 0 and s.setdatabase = (select d.oid from pg_database d where d.datname = current_database())
          and c.setting = 'app.settings.jwt_secret=' || current_setting('app.settings.jwt_secret', true)
      )
    );
end;
$$;
