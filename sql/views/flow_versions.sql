-- Lists the versions of each alias, with their routes (route_list as people read them: "main: find, pay; pricing:
-- price", or the queue alone if there is one), the last change of a runtime option, and whether one may leave the registries of the workers: it may once it
-- is not active and none of its runs is started, since only started runs have steps to start and tasks to run. A retry
-- of an ended run asks for a worker that still has the version.
create or replace view pgflow.flow_versions as
select f.flow_alias, f.flow_slug, v.active, f.created_at as deployed_at, h.activated_at, r.started_runs, t.tasks_left,
  not v.active and r.started_runs = 0 as droppable,
  case
    when v.active then format('active version of alias %s', f.flow_alias)
    when r.started_runs > 0 then format('%s started %s', r.started_runs, case r.started_runs when 1 then 'run' else 'runs' end)
  end as held_by,
  (select coalesce(jsonb_object_agg(s.step_slug, s.queue_name), '{}') from pgflow.steps s where s.flow_slug = f.flow_slug) as routes,
  g.route_list, o.change as last_option_change, o.changed_at as option_changed_at, o.function_name as option_changed_by
from pgflow.flows f
join pgflow.flow_aliases a on a.flow_alias = f.flow_alias
cross join lateral (select coalesce(a.active_flow_slug = f.flow_slug, false) as active) v
cross join lateral (
  select max(h.activated_at) as activated_at from pgflow.alias_activations h where h.flow_alias = f.flow_alias and h.to_flow_slug = f.flow_slug
) h
cross join lateral (select count(*) as started_runs from pgflow.runs r
  where r.flow_slug = f.flow_slug and num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0) r
cross join lateral (
  select coalesce(sum(s.remaining_tasks), 0)::bigint as tasks_left
  from pgflow.runs r
  join pgflow.step_states s on s.run_id = r.run_id
  where r.flow_slug = f.flow_slug and num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0 and s.status = 'started'
) t
cross join lateral (
  select case when count(*) = 1 then min(q.queue_name) else string_agg(q.queue_name || ': ' || q.step_slugs, '; ' order by q.queue_name) end as route_list
  from (
    select s.queue_name, string_agg(s.step_slug, ', ' order by s.step_index) as step_slugs
    from pgflow.steps s
    where s.flow_slug = f.flow_slug
    group by s.queue_name
  ) q
) g
left join lateral (
  select c.change, c.changed_at, c.function_name from pgflow.option_changes c where c.flow_slug = f.flow_slug order by c.change_id desc limit 1
) o on true;

comment on view pgflow.flow_versions is 'The versions of each alias: which is active, what still holds each alive, and its routes.';
