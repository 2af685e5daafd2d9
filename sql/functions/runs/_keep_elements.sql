-- Completes those elements of a new run's maps that the run which it retries had completed, with their outputs: a step
-- that did not complete repeats only the others.
create or replace function pgflow._keep_elements(p_run_id uuid, p_kept_run_id uuid) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_callbacks pgflow.callback[];
  v_outputs jsonb[];
begin
  select
    array_agg((k.n, p_run_id, k.step_slug, k.task_index, 0, null, null, false, false, 'done')::pgflow.callback order by k.n),
    array_agg(k.output order by k.n)
  into v_callbacks, v_outputs
  from (
    select row_number() over (order by t.step_slug, t.task_index) as n, t.step_slug, t.task_index, o.output
    from pgflow.step_tasks t
    join pgflow.step_tasks o on o.run_id = any (array[p_kept_run_id]) and o.step_slug = t.step_slug and o.task_index = t.task_index
    where t.run_id = p_run_id and t.status = 'queued' and t.input is not null and o.status = 'completed'
  ) k;
  if v_callbacks is not null then
    perform pgflow._record_completions(v_callbacks, v_outputs);
  end if;
end;
$$;
