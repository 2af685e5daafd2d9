-- pgflow's own workers store their rows themselves, under the slug of their flow as it is written: the queue is the one
-- that PGMQ makes of it.
create function pgflow._lower_queue_name() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.queue_name := lower(new.queue_name collate "C");
  return new;
end;
$$;

create trigger workers_queue_name_is_lower
  before insert or update of queue_name on pgflow.workers
  for each row when (new.queue_name <> lower(new.queue_name collate "C"))
  execute function pgflow._lower_queue_name();
