-- mark_development(): the database belongs to luaflow dev from now on: there the files are the truth, and what was deployed otherwise is deleted. Owner only.
create or replace function pgflow.mark_development() returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.settings s set development = true where not s.development;
$$;
