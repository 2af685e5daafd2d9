-- Returns the aliases whose locks _follow_files needs: those of flows that it deletes, recreates, retires or restores, by
-- the files and as they are stored, and those that it moves away from a version. Files that change no definition need
-- none: a client's open transaction holds up no save of a handler. The deployment lock keeps all of this as it is.
create or replace function pgflow._files_aliases(p_files jsonb) returns text[]
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with files as (
    select f.value ->> 'slug' as slug, f.value ->> 'alias' as alias, coalesce((f.value ->> 'retained')::boolean, false) as retained
    from jsonb_array_elements(p_files -> 'flows') as f (value)
  ),
  changes as (select c.flow_slug from pgflow._file_changes(p_files) c)
  select array(
    select s.flow_alias from changes c join pgflow.flows s on s.flow_slug = c.flow_slug
    union
    select f.alias from changes c join files f on f.slug = c.flow_slug
    union
    select f.alias from files f join pgflow.flow_aliases a on a.flow_alias = f.alias and a.active_flow_slug <> f.slug where not f.retained
    order by 1
  );
$$;
