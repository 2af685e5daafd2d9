-- Creates a queue that is not there yet and records it as created by a deployment; one that a deployment created and
-- that has vanished, or was recreated by hand, is restored with the messages of its active tasks. The caller has
-- asked _queue_refusal and holds the deployment lock.
create or replace function pgflow._provision_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pgflow._queue_exists(p_queue_name) or not exists (select from pgmq.meta m where m.queue_name = p_queue_name) then
    perform pgflow._create_queue(p_queue_name);
  end if;
  insert into pgflow.queues (queue_name) values (p_queue_name) on conflict do nothing;
  perform pgflow._grant_polling(p_queue_name);
  if pgflow._last_message_id(p_queue_name) < (select max(t.message_id) from pgflow.step_tasks t where t.queue_name = p_queue_name) then
    perform pgflow._refill_queue(p_queue_name);
  end if;
end;
$$;
