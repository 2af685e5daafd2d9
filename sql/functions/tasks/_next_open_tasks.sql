-- Returns up to limit tasks of a flow's open runs, ended ones too, in the order (run, step, index) behind a position.
-- Written so that only two indexes can serve it, in their order: that of the open runs, and the tasks' key.
create or replace function pgflow._next_open_tasks(p_at pgflow.recoveries, p_limit int) returns pgflow.step_tasks[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_sort = off
as $$
declare
  v_run_id uuid := coalesce(p_at.run_id, '00000000-0000-0000-0000-000000000000');
begin
  return array(
    select t
    from (
      select r.flow_slug, r.run_id from pgflow.runs r
      where num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0
        and (r.flow_slug, r.run_id) >= (p_at.flow_slug, v_run_id)
        and (r.flow_slug, r.run_id) <= (p_at.flow_slug, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
      order by r.flow_slug, r.run_id
    ) o
    cross join lateral (
      select k from pgflow.step_tasks k
      where k.run_id = o.run_id
        and (k.step_slug, k.task_index) > (
          case when o.run_id = p_at.run_id then p_at.step_slug else '' end, case when o.run_id = p_at.run_id then p_at.task_index else -1 end
        )
      order by k.step_slug, k.task_index limit p_limit
    ) l (t)
    order by o.flow_slug, o.run_id, (l.t).step_slug, (l.t).task_index limit p_limit
  );
end;
$$;
