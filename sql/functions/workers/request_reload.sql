-- request_reload(queue_names) -> the live workers of these queues, of all queues for null, which are asked to reload,
-- and the request's number, for reload_answers. For operators. Workers learn it with their next heartbeat, for which
-- they are woken. Those that drain are left out. Raises undefined_object, with the known ones as a hint, for a queue
-- that does not exist.
-- Locks: the rows of the workers, in order.
create or replace function pgflow.request_reload(p_queue_names text[]) returns table (worker_id uuid, queue_name text, request bigint)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_request bigint := nextval('pgflow.reload_requests');
  v_unknown text := (
    select string_agg(u.queue_name, ', ' order by u.queue_name) from unnest(p_queue_names) as u (queue_name)
    where not exists (select from pgflow.queues q where q.queue_name = u.queue_name)
      and not exists (select from pgflow.workers w where w.queue_name = u.queue_name)
  );
  v_workers uuid[];
begin
  if v_unknown is not null then
    raise exception 'there is no queue %', v_unknown
      using errcode = 'undefined_object',
        hint = coalesce((select 'known: ' || string_agg(q.queue_name, ', ' order by q.queue_name) from pgflow.queues q), 'no flow is deployed yet');
  end if;
  v_workers := array(
    select w.worker_id from pgflow.workers w
    where (p_queue_names is null or w.queue_name = any (p_queue_names)) and w.deprecated_at is null and pgflow._is_alive(w)
    order by w.worker_id
    for no key update
  );
  update pgflow.workers w set reload_request = v_request where w.worker_id = any (v_workers);
  perform pg_notify('pgflow:' || q.queue_name, 'reload')
  from (select distinct w.queue_name from pgflow.workers w where w.worker_id = any (v_workers)) q;
  return query
    select w.worker_id, w.queue_name, v_request from pgflow.workers w where w.worker_id = any (v_workers) order by w.queue_name, w.started_at, w.worker_id;
end;
$$;
