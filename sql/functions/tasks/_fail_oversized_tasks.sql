-- Fails for good those queued tasks behind the given messages whose input cannot be made, since the outputs of their dependencies exceed together what jsonb can hold: no
-- claim could ever take them, nor what is read with them. All the messages are visible again. A task whose run is locked is left for the next claim.
create or replace function pgflow._fail_oversized_tasks(p_queue_name text, p_message_ids bigint[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_task record;
begin
  for v_task in
    select t.run_id, t.step_slug, t.task_index, d.when_exhausted
    from unnest(p_message_ids) as m (message_id)
    cross join lateral (
      select t.* from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1
    ) t
    join pgflow.steps d on d.flow_slug = any (array[t.flow_slug]) and d.step_slug = t.step_slug
    where t.status = 'queued'
      and d.step_type = 'single' and d.deps_count > 1
  loop
    begin
      perform pgflow._dependency_table(v_task.run_id, v_task.step_slug);
    exception when program_limit_exceeded then
      perform from pgflow.runs r where r.run_id = v_task.run_id and r.status = 'started' for update skip locked;
      if found then
        perform pgflow._end_exhausted_tasks(
          array[v_task.run_id], array[v_task.step_slug], array[v_task.task_index],
          array['the outputs of its dependencies are too large together: 256 MB is the most that one jsonb value holds'],
          array[v_task.when_exhausted]
        );
      end if;
    end;
  end loop;
  perform pgflow._show_messages(array_fill(p_queue_name, array[cardinality(p_message_ids)]), p_message_ids);
end;
$$;
