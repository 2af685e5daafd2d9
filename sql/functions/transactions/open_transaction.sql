-- open_transaction(run_id, step_slug, task_index, claim_no, secret, left_ms) -> the token of this transaction, of which
-- it must be the first statement. From then on the transaction commits only together with complete_transaction: any
-- other commit fails with LF002 and undoes everything. The token completes this claim alone. The secret is the one that
-- claim_tasks gave out with the claim: a handler, which may call this too, does not know it. Raises LF004 if it is
-- another, and LF001 if the claim is no longer the current one. The server ends the transaction after left_ms, and
-- recovery once its task is stalled.
-- Locks: none that others wait for; the mark of the claim, until the end of the transaction.
create or replace function pgflow.open_transaction(p_run_id uuid, p_step_slug text, p_task_index int, p_claim_no bigint, p_secret text, p_left_ms bigint)
returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer text;
  v_token uuid;
begin
  if p_secret is distinct from (
    select pgflow._transaction_secret(k.key, p_run_id, p_step_slug, p_task_index, p_claim_no) from pgflow.transaction_keys k where k.only_row
  ) then
    raise exception 'the transaction of a step is opened with the secret of its claim, and this is another'
      using errcode = 'LF004', hint = 'a handler opens none: set transaction = true for its step, and use ctx.tx';
  end if;
  v_answer := (pgflow._judge_callbacks(
    pgflow._callbacks(array[p_run_id], array[p_step_slug], array[p_task_index], array[p_claim_no])
  ))[1].verdict;
  if v_answer <> 'done' then
    raise exception 'claim % of task %[%] in run % is no longer the current one', p_claim_no, p_step_slug, p_task_index, p_run_id using errcode = 'LF001';
  end if;
  perform pgflow._limit_transaction(p_left_ms);
  perform pg_try_advisory_xact_lock_shared(pgflow._transaction_mark(p_run_id, p_step_slug, p_task_index, p_claim_no));
  insert into pgflow.open_transactions (run_id, step_slug, task_index, claim_no)
  values (p_run_id, p_step_slug, p_task_index, p_claim_no)
  returning token into v_token;
  return v_token;
end;
$$;
