-- trust_faults() -> a row for each reason not to trust what is in schema pgmq, with what to do about it: PGMQ itself
-- (queue_name is null), and each recorded queue whose tables could run another role's code. Reads the catalog alone.
-- For people.
create or replace function pgflow.trust_faults() returns table (queue_name text, reason text, remedy text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query select null::text, d.reason, d.remedy from pgflow._pgmq_distrust() d where d.reason is not null;
  return query
    select q.queue_name, d.reason, pgflow._queue_remedy(q.queue_name)
    from pgflow.queues q
    cross join lateral pgflow._queue_distrust(q.queue_name) as d (reason)
    where d.reason is not null
    order by q.queue_name;
end;
$$;
