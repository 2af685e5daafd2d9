-- Returns the next active tasks of a queue, found by their runs, even if they have no message: each call continues
-- where the last one ended, and begins again after the end. It looks at 2,000 tasks of open runs at most, of 100 flows,
-- so its cost grows neither with what has ended nor with what is under way.
-- Locks: the queue's row in recoveries. The caller has the try-lock of the queue's recovery.
create or replace function pgflow._walk_active_tasks(p_queue_name text) returns setof pgflow.step_tasks
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_sort = off
as $$
declare
  v_at pgflow.recoveries;
  v_flow_slugs text[];
  v_left int := 2000;
  v_tasks pgflow.step_tasks[];
begin
  select * into v_at from pgflow.recoveries c where c.queue_name = p_queue_name;
  v_flow_slugs := array(
    select distinct s.flow_slug from pgflow.steps s
    where s.queue_name = p_queue_name and s.flow_slug >= coalesce(v_at.flow_slug, '') order by s.flow_slug limit 101
  );
  for v_i in 1 .. least(cardinality(v_flow_slugs), 100) loop
    if v_flow_slugs[v_i] is distinct from v_at.flow_slug then
      v_at := row(p_queue_name, v_flow_slugs[v_i], null, null, null, null, null);
    end if;
    v_tasks := pgflow._next_open_tasks(v_at, v_left);
    v_left := v_left - cardinality(v_tasks);
    return query select t.* from unnest(v_tasks) t where t.queue_name = p_queue_name and t.status in ('queued', 'started');
    exit when v_left = 0;
  end loop;
  if v_left = 0 then
    v_at := row(p_queue_name, v_at.flow_slug, (v_tasks[cardinality(v_tasks)]).run_id, (v_tasks[cardinality(v_tasks)]).step_slug,
      (v_tasks[cardinality(v_tasks)]).task_index, null, null);
  else
    v_at := row(p_queue_name, v_flow_slugs[101], null, null, null, null, null);
  end if;
  insert into pgflow.recoveries as c (queue_name, flow_slug, run_id, step_slug, task_index)
  values (p_queue_name, v_at.flow_slug, v_at.run_id, v_at.step_slug, v_at.task_index)
  on conflict (queue_name) do update
    set flow_slug = excluded.flow_slug, run_id = excluded.run_id, step_slug = excluded.step_slug, task_index = excluded.task_index
    where (c.flow_slug, c.run_id, c.step_slug, c.task_index) is distinct from (excluded.flow_slug, excluded.run_id, excluded.step_slug, excluded.task_index);
end;
$$;
