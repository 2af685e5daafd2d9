-- is_local() -> whether this is a development database: one that `luaflow dev` made, or one of Supabase's command line,
-- known by its public secret. Flows may be recreated together with their data there. Anywhere else false.
create or replace function pgflow.is_local() returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select (select s.development from pgflow.settings s)
    or coalesce(current_setting('app.settings.jwt_secret', true) = 'super-secret-jwt-token-with-at-least-32-characters-long', false);
$$;
