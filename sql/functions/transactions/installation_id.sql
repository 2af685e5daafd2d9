-- installation_id() -> the id of this installation: two connections that show the same one reach the same database.
create or replace function pgflow.installation_id() returns uuid
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
  select s.installation_id from pgflow.settings s;
$$;
