-- claim_tasks(worker_id, generation, queue_name, quantity, max_input): reads up to quantity messages and claims their
-- tasks; the last statement of a batch. Rows by kind: 'task' for each claimed task; 'failed' for each whose input
-- cannot be given out, with the reason as its input; 'unknown' for each (flow, step) that the worker does not handle;
-- 'orphan' for each message without a task that was archived; 'unreadable' for each that was archived since reading it
-- fails, with the reason as its input (then nothing is read, and the next claim continues); and last, always, one
-- 'answer' with its status (ok | stale_generation | not_subscribed | unknown_worker | unknown_pairs), next_visible_ms,
-- the milliseconds until the queue's next hidden message becomes visible (null: there is none), the seconds that it
-- took as timeout_s, and more: there may be visible messages, so that a claim at once is no waste. The inputs of one
-- claim have at most max_input bytes together, as JSON text: what does not fit is left for the next one. A task whose
-- input alone has more, or cannot be made or sent, fails for good with an error that names it (_claim_within). is_root:
-- the input is the run's as well. secret: what open_transaction takes. bytes: the size of the input. If a pair is
-- unknown nothing is claimed and every message that was read is visible again (I7). Raises undefined_table if the
-- queue's table is missing.
-- Locks: messages and tasks, both skipping what is locked, until commit; it never waits.
create or replace function pgflow.claim_tasks(p_worker_id uuid, p_generation bigint, p_queue_name text, p_quantity int, p_max_input int default 67108864)
returns setof pgflow.claim_row
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set work_mem = '128MB'
as $$
declare
  v_refusal text := pgflow._claim_refusal(p_worker_id, p_generation, p_queue_name);
  v_hidden_s int := 30 + least(2147483617, (select coalesce(w.longest_timeout, 60) from pgflow.workers w where w.worker_id = p_worker_id));
  v_message_ids bigint[] := '{}';
  v_enqueued_at timestamptz[];
  v_left bigint[] := '{}';
  v_is_unread boolean := false;
  v_begun timestamptz := clock_timestamp();
  v_key bytea := (select k.key from pgflow.transaction_keys k where k.only_row);
  v_row pgflow.claim_row;
begin
  if v_refusal is not null then
    v_row.kind := 'answer';
    v_row.status := v_refusal;
    v_row.more := false;
    return next v_row;
    return;
  end if;
  if coalesce(p_quantity, -1) < 0 then
    raise exception 'claim_tasks: the quantity is %, but must be 0 or more', quote_nullable(p_quantity) using errcode = 'invalid_parameter_value';
  end if;
  if coalesce(p_max_input, 0) < 1 then
    raise exception 'claim_tasks: the largest input is %, but must be 1 byte or more', quote_nullable(p_max_input) using errcode = 'invalid_parameter_value';
  end if;
  begin
    select coalesce(array_agg(m.msg_id order by m.msg_id), '{}'), coalesce(array_agg(m.enqueued_at order by m.msg_id), '{}')
    into v_message_ids, v_enqueued_at
    from pgflow._read_messages(p_queue_name, v_hidden_s, p_quantity) m;
  exception when data_exception or integrity_constraint_violation or program_limit_exceeded then
    v_row.kind := 'unreadable';
    for v_row.msg_id, v_row.input in select u.msg_id, u.message from pgflow._archive_unreadable(p_queue_name) u loop
      v_is_unread := true;
      return next v_row;
    end loop;
    if not v_is_unread then
      raise;
    end if;
  end;

  v_row := null;
  v_row.kind := 'unknown';
  for v_row.flow_slug, v_row.step_slug in select u.flow_slug, u.step_slug from pgflow._unknown_pairs(p_worker_id, p_queue_name, v_message_ids) u loop
    v_refusal := 'unknown_pairs';
    v_left := v_message_ids;
    return next v_row;
  end loop;
  if v_refusal is null then
    for v_row in select c.* from pgflow._claim_within(p_queue_name, v_message_ids, p_worker_id, p_max_input) c loop
      if v_row.kind = 'left' then
        v_left := v_left || v_row.msg_id;
        continue;
      end if;
      v_row.secret := case v_row.kind
        when 'task' then pgflow._transaction_secret(v_key, v_row.run_id, v_row.step_slug, v_row.task_index, v_row.claim_no)
      end;
      return next v_row;
    end loop;
  end if;
  perform pgflow._set_visibility(array(select (p_queue_name, l.message_id, clock_timestamp())::pgflow.message from unnest(v_left) as l (message_id)));

  v_row := null;
  v_row.kind := 'orphan';
  for v_row.msg_id in select pgflow._settle_read_messages(p_queue_name, v_message_ids, v_enqueued_at, v_left, v_hidden_s) loop
    return next v_row;
  end loop;
  v_row := null;
  v_row.kind := 'answer';
  v_row.status := coalesce(v_refusal, 'ok');
  v_row.timeout_s := extract(epoch from clock_timestamp() - v_begun);
  v_row.next_visible_ms := pgflow._next_visible_ms(p_queue_name);
  v_row.more := v_refusal is null and (v_is_unread or v_left <> '{}' or p_quantity > 0 and cardinality(v_message_ids) >= p_quantity);
  return next v_row;
end;
$$;
