-- Returns the (flow, step) pairs behind the given messages that the worker does not handle, over tasks of started runs
-- that are queued, or started and past their recovery (I7).
create or replace function pgflow._unknown_pairs(p_worker_id uuid, p_queue_name text, p_message_ids bigint[])
returns table (flow_slug text, step_slug text)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select distinct t.flow_slug, t.step_slug
    from unnest(p_message_ids) as m (message_id)
    cross join lateral (
      select t.flow_slug, t.run_id, t.step_slug, t.status, t.started_at, t.claimed_timeout from pgflow.step_tasks t
        where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1
    ) t
    join pgflow.runs r on r.run_id = any (array[t.run_id])
    where r.status = 'started'
      and (t.status = 'queued' or (t.status = 'started' and pgflow._recoverable_at(t.started_at, t.claimed_timeout) < clock_timestamp()))
      and (
        select h.worker_id from pgflow.worker_handlers h
        where h.worker_id = p_worker_id and h.flow_slug = t.flow_slug and h.step_slug = t.step_slug
      ) is null;
end;
$$;
