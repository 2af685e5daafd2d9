-- Returns the stored routing of a flow: an object from every step to its queue.
create or replace function pgflow._get_flow_routing(p_flow_slug text) returns jsonb
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(s.step_slug, s.queue_name), '{}') from pgflow.steps s where s.flow_slug = p_flow_slug;
$$;
