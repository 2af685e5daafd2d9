-- Makes the waiting retries on a queue due at once whose handlers a reload of luaflow dev has changed: those of the flows
-- in the changed files, or of all flows if another file was changed, which any may use.
create or replace function pgflow._hasten_changed_flows(p_queue_name text, p_changed_files text[]) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select pgflow._hasten_tasks(array_agg(r.run_id), p_queue_name)
  from pgflow.runs r
  where num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0
    and r.flow_slug = any (array(
      select f.flow_slug from pgflow.flows f
      where f.source_file = any (p_changed_files)
        or exists (select from unnest(p_changed_files) as c (file) where not exists (select from pgflow.flows o where o.source_file = c.file))
    ));
$$;
