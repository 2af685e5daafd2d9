-- Takes the locks of the recovery of queues, until the transaction ends, and returns those that it got: the recovery of
-- the other queues is under way. They are locks of rows that only this function takes, because only the owner may
-- write.
create or replace function pgflow._lock_recovery(p_queue_names text[]) returns text[]
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select q.queue_name from pgflow.queues q where q.queue_name = any (p_queue_names) order by q.queue_name for no key update skip locked
  );
$$;
