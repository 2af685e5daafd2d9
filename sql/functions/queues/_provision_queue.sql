-- Makes a queue that is not there yet and records it as made by a deployment. The caller has asked _queue_refusal and holds
-- the deployment lock.
create or replace function pgflow._provision_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if not exists (select from pgmq.meta m where m.queue_name = p_queue_name) then
    perform pgmq.create(p_queue_name);
  end if;
  insert into pgflow.queues (queue_name) values (p_queue_name) on conflict do nothing;
end;
$$;
