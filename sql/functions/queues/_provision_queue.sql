-- Makes a queue that is not there yet and records it as made by a deployment; one that a deployment made and that has vanished comes back with the
-- messages of its active tasks. The caller has asked _queue_refusal and holds the deployment lock.
create or replace function pgflow._provision_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_exists boolean := to_regclass(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q'))) is not null;
begin
  if not v_exists or not exists (select from pgmq.meta m where m.queue_name = p_queue_name) then
    perform pgmq.create(p_queue_name);
  end if;
  insert into pgflow.queues (queue_name) values (p_queue_name) on conflict do nothing;
  if not found and not v_exists then
    perform pgflow._refill_queue(p_queue_name);
  end if;
end;
$$;
