-- run_steps(run_id) -> a row for each step of a run in definition order, for callers that know its id. Of tasks it
-- tells only of the one of a single step and of one that fails, so that polling it stays cheap. task_phase: the status
-- of that task, where 'queued' is one that nobody has taken, and 'snoozed' and 'retrying' were put back, a snooze at no
-- cost. Times are until now(). failing_attempts_count counts the attempt that is running. failed_tasks: elements of a
-- map that failed for good and gave null. error_message: that of a map begins with the task that failed it, or with the
-- first of those elements. Tasks are shown with their elements (_task_label).
-- unserved_queue: the queue of a step that has gone on for 2 s while no live worker serves it. kept: completed by the
-- run that this one retries.
create or replace function pgflow.run_steps(p_run_id uuid) returns table (
  step_slug text, step_type text, status text, initial_tasks int, remaining_tasks int, duration_ms bigint, error_message text, skip_reason text,
  attempts_count int, task_phase text, dependencies text, max_attempts int, unserved_queue text, kept boolean,
  failing_task text, failing_attempts_count int, failing_error_message text, next_attempt_ms bigint, failed_tasks int
)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select st.step_slug, s.step_type, st.status, st.initial_tasks, st.remaining_tasks,
    (extract(epoch from coalesce(st.completed_at, st.failed_at, st.skipped_at, greatest(now(), st.started_at)) - st.started_at) * 1000)::bigint,
    coalesce(
      (
        select format('%s: %s', pgflow._task_label(e.task_index, e.input), pgflow._error_text(e.error_message))
        from pgflow.step_tasks e
        where s.step_type = 'map' and (st.error_message is not null or st.failed_tasks > 0) and e.run_id = st.run_id and e.step_slug = st.step_slug
          and e.status = 'failed' and e.error_message is not distinct from coalesce(st.error_message, e.error_message)
        order by e.task_index limit 1
      ),
      st.error_message, case when st.status = 'started' then t.error_message end
    ),
    st.skip_reason, t.attempts_count,
    case
      when u.status is not null and s.step_type = 'map' then case when u.status = 'queued' then 'retrying' else u.status end
      when t.status <> 'queued' then t.status
      when t.settled_claim_no is distinct from t.claim_no then 'queued'
      when t.attempts_count = 0 then 'snoozed'
      else 'retrying'
    end,
    (
      select string_agg(d.dep_slug, ' ' order by p.step_index)
      from pgflow.deps d
      join pgflow.steps p on p.flow_slug = d.flow_slug and p.step_slug = d.dep_slug
      where d.flow_slug = st.flow_slug and d.step_slug = st.step_slug
    ),
    coalesce(s.opt_max_attempts, f.opt_max_attempts),
    case
      when st.status = 'started' and st.started_at < now() - interval '2 seconds'
        and not exists (select from pgflow.workers w where w.queue_name = s.queue_name and pgflow._is_alive(w))
      then s.queue_name
    end,
    st.status = 'completed' and st.completed_at < r.started_at,
    (
      select pgflow._task_label(e.task_index, e.input)
      from pgflow.step_tasks e where e.run_id = st.run_id and e.step_slug = st.step_slug and e.task_index = u.task_index
    ),
    u.attempts_count, u.error_message,
    case when u.status = 'queued' then (extract(epoch from u.next_attempt_at - now()) * 1000)::bigint end,
    st.failed_tasks
  from pgflow.step_states st
  join pgflow.runs r on r.run_id = st.run_id
  join pgflow.steps s on s.flow_slug = st.flow_slug and s.step_slug = st.step_slug
  join pgflow.flows f on f.flow_slug = st.flow_slug
  left join pgflow.step_tasks t on t.run_id = st.run_id and t.step_slug = st.step_slug and t.task_index = 0 and s.step_type = 'single'
  left join lateral pgflow.failing_task(case when st.status = 'started' and r.status = 'started' then st.run_id end, st.step_slug) u on true
  where st.run_id = p_run_id
  order by s.step_index;
$$;
