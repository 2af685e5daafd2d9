-- mark_development(): marks the database as one of luaflow dev: a deployment there follows the files, and deletes a
-- stored flow that differs, with its runs. Owner only.
create or replace function pgflow.mark_development() returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.settings s set development = true where not s.development;
$$;
