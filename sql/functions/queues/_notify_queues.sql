-- Wakes the live workers of the given queues when this transaction commits, once per queue; the queue on which this
-- batch ends with a claim (see lock_runs) is left out. A commit that notifies waits for every other that does, so
-- nothing is sent if nobody listens.
create or replace function pgflow._notify_queues(p_queue_names text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_notify('pgflow:' || q.queue_name, '')
  from (select distinct queue_name from unnest(p_queue_names) as u (queue_name)) q
  where q.queue_name is distinct from current_setting('pgflow.claiming_queue', true)
    and exists (
      select from pgflow.workers w
      where w.queue_name = q.queue_name
        and pgflow._is_alive(w)
    );
end;
$$;
