-- Why a queue cannot be had by a deployment; null where it can. A queue that exists in PGMQ but was not made by a deployment
-- is never taken over silently, nor one whose tables, or PGMQ itself, could run somebody else's code.
create or replace function pgflow._queue_refusal(p_queue_name text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when not pgflow.is_valid_queue_name(p_queue_name) then format(
      'queue name %L is not valid: it takes lower-case letters, digits and _, and at most 47 characters; route the steps to another queue',
      p_queue_name
    )
    when exists (select from pgmq.meta m where lower(m.queue_name collate "C") = p_queue_name)
      and not exists (select from pgflow.queues q where q.queue_name = p_queue_name)
    then format(
      'queue %1$L exists already and was not made by a deployment; if it is meant for luaflow, adopt it (select pgflow.adopt_queue(%1$L)); if nothing uses it, drop it (select pgmq.drop_queue(%1$L)); else give the flow another slug or route its steps to another queue',
      (select m.queue_name from pgmq.meta m where lower(m.queue_name collate "C") = p_queue_name order by m.queue_name <> p_queue_name limit 1)
    )
    else coalesce((
      select format('queue %L cannot be used: %s; %s', p_queue_name, p.reason, p.remedy) from pgflow._pgmq_distrust() p where p.reason is not null
    ), (
      select format('queue %L cannot be used: %s; drop it (select pgmq.drop_queue(%1$L)), or route the steps to another queue', p_queue_name, d.reason)
      from pgflow._queue_distrust(p_queue_name) as d (reason)
      where d.reason is not null
    ))
  end;
$$;
