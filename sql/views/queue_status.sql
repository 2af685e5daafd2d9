-- How each queue stands that deployments made; see queue_figures. Reads every queue whole: for people.
create or replace view pgflow.queue_status as
select q.queue_name, f.depth, f.visible, f.oldest_age, f.in_flight, f.live_workers, f.uncovered_pairs
from pgflow.queues q
cross join lateral pgflow.queue_figures(q.queue_name) f;

comment on view pgflow.queue_status is 'Depth, age, tasks in flight, live workers and uncovered (flow, step) pairs of each queue.';
