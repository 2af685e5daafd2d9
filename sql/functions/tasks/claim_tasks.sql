-- claim_tasks(worker_id, generation, queue_name, quantity): reads up to quantity messages and claims their tasks; the last statement of a batch.
-- Rows by kind: 'task' for each claimed task; 'unknown' for each (flow, step) that the worker does not handle; 'orphan' for each message without
-- a task that was archived; and last, always, one 'answer' with its status (ok | stale_generation | not_subscribed | unknown_pairs) and
-- next_visible_ms, the milliseconds until the queue's next hidden message becomes visible (null: there is none).
-- Where a pair is unknown nothing is claimed and every message that was read is visible again (I7). Raises undefined_table where the queue's table is gone.
-- A task whose dependencies' outputs are too large together for one jsonb value fails for good, and the claim that meets it claims nothing.
-- Locks: messages and tasks, both skipping what is locked, until commit; it never waits.
create or replace function pgflow.claim_tasks(p_worker_id uuid, p_generation bigint, p_queue_name text, p_quantity int)
returns table (
  kind text, status text, next_visible_ms bigint,
  flow_slug text, run_id uuid, step_slug text, task_index int, msg_id bigint, claim_no bigint,
  attempt int, max_attempts int, timeout_s int, input jsonb, flow_input jsonb, suspicion int, lost_transactions int
)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_indexonlyscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_refusal text := pgflow._claim_refusal(p_worker_id, p_generation, p_queue_name);
  v_hidden_s int := 30 + least(2147483617, (select coalesce(w.longest_timeout, 60) from pgflow.workers w where w.worker_id = p_worker_id));
  v_message_ids bigint[];
  v_enqueued_at timestamptz[];
begin
  if v_refusal is not null then
    return query select 'answer', v_refusal, null::bigint, null::text, null::uuid, null::text, null::int, null::bigint, null::bigint,
      null::int, null::int, null::int, null::jsonb, null::jsonb, null::int, null::int;
    return;
  end if;
  if coalesce(p_quantity, -1) < 0 then
    raise exception 'the quantity is %, and must be 0 or more', quote_nullable(p_quantity) using errcode = 'invalid_parameter_value';
  end if;
  select coalesce(array_agg(m.msg_id), '{}'), coalesce(array_agg(m.enqueued_at), '{}') into v_message_ids, v_enqueued_at
  from pgflow._read_messages(p_queue_name, v_hidden_s, p_quantity) m;

  if v_message_ids <> '{}' then
    return query select 'unknown', null::text, null::bigint, u.flow_slug, null::uuid, u.step_slug, null::int, null::bigint, null::bigint,
      null::int, null::int, null::int, null::jsonb, null::jsonb, null::int, null::int
      from pgflow._unknown_pairs(p_worker_id, p_queue_name, v_message_ids) u;
    if found then
      perform pgflow._set_visibility(
        array_fill(p_queue_name, array[cardinality(v_message_ids)]), v_message_ids,
        array_fill(clock_timestamp(), array[cardinality(v_message_ids)])
      );
      v_refusal := 'unknown_pairs';
    else
      begin
        return query select 'task', null::text, null::bigint, c.flow_slug, c.run_id, c.step_slug, c.task_index, c.msg_id, c.claim_no,
          c.attempt, c.max_attempts, c.timeout_s, c.input, c.flow_input, c.suspicion, c.lost_transactions
          from pgflow._claim_messages(p_queue_name, v_message_ids, p_worker_id) c;
        return query select 'orphan', null::text, null::bigint, null::text, null::uuid, null::text, null::int, o.message_id, null::bigint,
          null::int, null::int, null::int, null::jsonb, null::jsonb, null::int, null::int
          from pgflow._settle_read_messages(p_queue_name, v_message_ids, v_enqueued_at, v_hidden_s) o (message_id);
      exception when program_limit_exceeded then
        perform pgflow._fail_oversized_tasks(p_queue_name, v_message_ids);
      end;
    end if;
  end if;
  return query select 'answer', coalesce(v_refusal, 'ok'), pgflow._next_visible_ms(p_queue_name), null::text, null::uuid, null::text,
    null::int, null::bigint, null::bigint, null::int, null::int, null::int, null::jsonb, null::jsonb, null::int, null::int;
end;
$$;
