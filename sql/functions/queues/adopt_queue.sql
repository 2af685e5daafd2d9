-- adopt_queue(queue_name): records a PGMQ queue that no deployment created, so that deployments may route steps to it.
-- For operators.
-- Refused, with the reason (object_not_in_prerequisite_state), if its name is not canonical, if its tables or PGMQ
-- could run another role's code (trust_faults), and if it holds messages or archived ones that belong to no task of
-- luaflow. Raises undefined_object if PGMQ does not know it. A queue that is recorded already is left as it is.
-- Locks: the deployment lock until commit.
create or replace function pgflow.adopt_queue(queue_name text) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_known_as text;
  v_distrust text;
  v_pgmq record;
  v_foreign record;
begin
  perform pgflow._lock_deployments();
  if exists (select from pgflow.queues q where q.queue_name = adopt_queue.queue_name) then
    return;
  end if;
  select p.reason, p.remedy into v_pgmq from pgflow._pgmq_distrust() p;
  if v_pgmq.reason is not null then
    raise exception 'queue % cannot be adopted: %', quote_nullable(adopt_queue.queue_name), v_pgmq.reason
      using errcode = 'object_not_in_prerequisite_state', hint = v_pgmq.remedy;
  end if;
  select m.queue_name into v_known_as from pgmq.meta m
  where m.queue_name = adopt_queue.queue_name or lower(m.queue_name collate "C") = adopt_queue.queue_name
  order by m.queue_name <> adopt_queue.queue_name limit 1;
  if not found then
    raise exception 'PGMQ has no queue %', quote_nullable(adopt_queue.queue_name)
      using errcode = 'undefined_object', hint = 'do not adopt it: a deployment creates the queues that its flows name';
  end if;
  if not pgflow.is_valid_queue_name(v_known_as) then
    raise exception 'queue % cannot be adopted: a queue name has at most 47 characters: lower-case letters, digits and _', quote_literal(v_known_as)
      using errcode = 'object_not_in_prerequisite_state', hint = 'route the steps to another queue';
  end if;
  v_distrust := pgflow._queue_distrust(v_known_as);
  if v_distrust is not null then
    raise exception 'queue % cannot be adopted: %', quote_literal(v_known_as), v_distrust
      using errcode = 'object_not_in_prerequisite_state',
        hint = pgflow._queue_remedy(v_known_as);
  end if;
  select * into v_foreign from pgflow._foreign_messages(v_known_as);
  if v_foreign.waiting + v_foreign.archived > 0 then
    raise exception 'queue % cannot be adopted: it holds messages that belong to no task: % waiting, % archived',
      quote_literal(v_known_as), v_foreign.waiting, v_foreign.archived
      using errcode = 'object_not_in_prerequisite_state',
        hint = 'route the steps to another queue; if no program uses this one, delete it with its messages: select pgmq.drop_queue(...)';
  end if;
  insert into pgflow.queues (queue_name) values (v_known_as);
  perform pgflow._grant_polling(v_known_as);
end;
$$;
