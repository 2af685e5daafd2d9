-- reload_answers(worker_ids, request) -> a row for each of these workers: what it answered to the request, or to a later
-- one: reloaded (with its generation), refused (with the reason), stopped (it ended or died before it could answer), or
-- waiting (with whom its deployment waits for, or why its last attempt failed). Takes no locks.
create or replace function pgflow.reload_answers(p_worker_ids uuid[], p_request bigint)
returns table (worker_id uuid, queue_name text, answer text, generation bigint, reason text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select w.worker_id, w.queue_name,
    case
      when w.reload_answer >= p_request then case when w.last_reload_error is null then 'reloaded' else 'refused' end
      when not pgflow._is_alive(w) then 'stopped'
      else 'waiting'
    end,
    w.generation,
    case when w.reload_answer >= p_request or not pgflow._is_alive(w) then w.last_reload_error
      else coalesce(pgflow._trouble_text(t), 'its last attempt failed: ' || w.last_reload_error) end
  from pgflow.workers w
  left join pgflow.worker_troubles t on t.worker_id = w.worker_id and t.trouble = 'deployment'
  where w.worker_id = any (p_worker_ids)
  order by w.queue_name, w.started_at, w.worker_id;
$$;
