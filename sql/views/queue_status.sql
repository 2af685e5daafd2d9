-- How each queue stands that deployments made; see queue_figures, and lacking_workers as [{"worker_id", "function_name",
-- "pairs"}]. Reads every queue whole: for people.
create or replace view pgflow.queue_status as
select q.queue_name, f.depth, f.visible, f.oldest_age, f.in_flight, f.live_workers, f.uncovered_pairs,
  case when f.live_workers > 0 and f.uncovered_pairs <> '{}' then (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from pgflow.lacking_workers(q.queue_name) l)
    else '[]' end as lacking_workers
from pgflow.queues q
cross join lateral pgflow.queue_figures(q.queue_name) f;

comment on view pgflow.queue_status is 'Depth, age, tasks in flight, live workers, uncovered (flow, step) pairs and who lacks them, of each queue.';
