-- Returns why a deployment cannot use a queue; null if it can. A queue that exists in PGMQ but was not created by a
-- deployment is never taken over silently, nor one whose tables, or PGMQ itself, could run another role's code.
create or replace function pgflow._queue_refusal(p_queue_name text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when not pgflow.is_valid_queue_name(p_queue_name) then format(
      'queue name %L is not valid: it has at most 47 characters: lower-case letters, digits and _; route the steps to another queue',
      p_queue_name
    )
    when exists (select from pgmq.meta m where lower(m.queue_name collate "C") = p_queue_name)
      and not exists (select from pgflow.queues q where q.queue_name = p_queue_name)
    then format(
      'queue %1$L exists, but no deployment created it; route the steps to another queue or give the flow another slug; '
      'if luaflow is to use it, adopt it (select pgflow.adopt_queue(%1$L)); '
      'if no program uses it, delete it with its messages (select pgmq.drop_queue(%1$L))',
      (select m.queue_name from pgmq.meta m where lower(m.queue_name collate "C") = p_queue_name order by m.queue_name <> p_queue_name limit 1)
    )
    else coalesce((
      select format('queue %L cannot be used: %s; %s', p_queue_name, p.reason, p.remedy) from pgflow._pgmq_distrust() p where p.reason is not null
    ), (
      select format('queue %L cannot be used: %s; %s', p_queue_name, d.reason, pgflow._queue_remedy(p_queue_name))
      from pgflow._queue_distrust(p_queue_name) as d (reason)
      where d.reason is not null
    ))
  end;
$$;
