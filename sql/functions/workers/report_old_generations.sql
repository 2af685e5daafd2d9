-- report_old_generations(worker_id, generations, executors, tasks, ages_s, remaining_s, memory): what the worker's old
-- generations still hold, an element for each of those that hold tasks: its number, how many executors and tasks it has,
-- for how long the oldest of its tasks has run, when the last one of them runs into its timeout, and the bytes of memory
-- of its executors. Replaces the last report. An unknown worker is not an error.
-- Locks: the worker's row against its removal.
create or replace function pgflow.report_old_generations(
  p_worker_id uuid, p_generations bigint[], p_executors int[], p_tasks int[], p_ages_s float8[], p_remaining_s float8[], p_memory bigint[]
) returns void
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  delete from pgflow.old_generations o where o.worker_id = p_worker_id;
  insert into pgflow.old_generations (worker_id, generation, executors, tasks, oldest_since, deadline, memory)
  select w.worker_id, g.generation, g.executors, g.tasks, clock_timestamp() - g.age_s * interval '1 s',
    clock_timestamp() + g.remaining_s * interval '1 s', g.memory
  from pgflow.workers w
  cross join unnest(p_generations, p_executors, p_tasks, p_ages_s, p_remaining_s, p_memory) as g (generation, executors, tasks, age_s, remaining_s, memory)
  where w.worker_id = p_worker_id;
$$;
