-- Carries out what _check_flow_deployment found for one flow: creates its queues, stores or recreates its definition
-- (active if it was), or updates its runtime options, what was not known of its steps, and their order. The caller holds the deployment
-- lock and the alias's.
create or replace function pgflow._store_flow(p_flow jsonb, p_check_status text, p_worker_id uuid, p_function_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text := p_flow ->> 'slug';
  v_was_active boolean := exists (select from pgflow.flow_aliases a where a.active_flow_slug = v_slug);
begin
  perform pgflow._provision_queue(q.queue_name)
  from (select distinct r.value as queue_name from jsonb_each_text(p_flow -> 'routing') r order by 1) q;
  if p_check_status = 'recreated' then
    perform pgflow._drop_flow(v_slug);
  end if;
  if p_check_status = 'verified' then
    perform pgflow._update_runtime_options(v_slug, p_flow -> 'shape', p_worker_id, p_function_name);
    perform pgflow._store_semantics(v_slug, p_flow -> 'shape');
    perform pgflow._store_order(v_slug, p_flow -> 'shape');
    update pgflow.flows f set is_deployed = true where f.flow_slug = v_slug and not f.is_deployed;
  else
    perform pgflow._create_flow_from_shape(v_slug, p_flow -> 'shape', p_flow ->> 'alias', p_flow -> 'routing', true);
  end if;
  if p_check_status = 'recreated' and v_was_active then
    update pgflow.flow_aliases a set active_flow_slug = v_slug where a.flow_alias = p_flow ->> 'alias';
  end if;
end;
$$;
