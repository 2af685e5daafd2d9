-- Returns what is to happen before the flows of all files of luaflow dev can be deployed, a row for each stored flow
-- that they have otherwise or lack: 'recreated' (another shape, routing or alias) or 'deleted' (no file has it, and its
-- name is in the way of one that a file has), both with the flow's runs and their data; 'retired' (no file has it);
-- 'restored' (a file has it again). Flows that no worker deployed are left alone. p_files is like a registry.
create or replace function pgflow._file_changes(p_files jsonb) returns table (flow_slug text, change text, differences text[], message text)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  with files as (
    select f.value as flow, f.value ->> 'slug' as slug, f.value ->> 'alias' as alias from jsonb_array_elements(p_files -> 'flows') as f (value)
  ),
  kept as (
    select s.flow_slug, s.missing_since,
      case when s.flow_alias <> f.alias
        then array[format('alias: in the modules ''%s'', in the database ''%s''', f.alias, s.flow_alias)] else '{}'
      end || case when d.only_order then '{}' else d.shape end || d.routing as differences
    from files f
    join pgflow.flows s on s.flow_slug = f.slug
    cross join lateral pgflow._flow_differences(f.flow) d
  ),
  lacking as (
    select s.*, (
      select min(f.slug) from files f
      where (f.alias = s.flow_slug and s.flow_alias <> f.alias) or (f.slug = s.flow_alias and f.alias <> s.flow_alias)
        or lower(f.slug collate "C") = lower(s.flow_slug collate "C")
    ) as in_the_way_of
    from pgflow.flows s
    where s.is_deployed and not exists (select from files f where f.slug = s.flow_slug)
  )
  select k.flow_slug, 'recreated', k.differences, 'its runs and their data are deleted, and it is created again'
  from kept k where k.differences <> '{}'
  union all
  select k.flow_slug, 'restored', '{}', 'a file has it again; luaflow retry brings back a run that was cancelled'
  from kept k where k.differences = '{}' and k.missing_since is not null
  union all
  select l.flow_slug, 'deleted', '{}',
    format('no file has it, and its name is in the way of flow %s: its runs and their data are deleted', l.in_the_way_of)
  from lacking l where l.in_the_way_of is not null
  union all
  select l.flow_slug, 'retired', '{}', concat('no file has it', '; it was in ' || l.source_file)
  from lacking l where l.in_the_way_of is null and l.missing_since is null
  order by 1;
$$;
