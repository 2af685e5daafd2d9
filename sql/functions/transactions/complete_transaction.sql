-- complete_transaction(token, run_id, step_slug, task_index, claim_no, output): completes a task as the last statement
-- of the transaction that open_transaction began; the caller commits behind it. Raises LF002 if this is not that
-- transaction (somebody ended it in between), LF001 if the claim is no longer the current one or the token is another
-- claim's, and LF003 if the output violates its type: the caller rolls back then, and what the handler wrote is undone.
-- After LF003 it records the output by complete_tasks, which fails the task.
-- Locks: as complete_tasks.
create or replace function pgflow.complete_transaction(
  p_token uuid, p_run_id uuid, p_step_slug text, p_task_index int, p_claim_no bigint, p_output jsonb
) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_opened pgflow.open_transactions;
  v_answer text;
begin
  delete from pgflow.open_transactions t where t.token = p_token returning t.* into v_opened;
  if not found then
    raise exception 'could not complete step %: its handler has ended the transaction', p_step_slug
      using errcode = 'LF002', hint = 'remove commit and rollback from ctx.tx:query: luaflow commits when the handler returns';
  end if;
  if (v_opened.run_id, v_opened.step_slug, v_opened.task_index, v_opened.claim_no) is distinct from (p_run_id, p_step_slug, p_task_index, p_claim_no) then
    raise exception 'this transaction belongs to claim % of task %[%] in run %: it cannot complete another',
      v_opened.claim_no, v_opened.step_slug, v_opened.task_index, v_opened.run_id using errcode = 'LF001';
  end if;
  select c.answer into v_answer
  from pgflow.complete_tasks(array[p_run_id], array[p_step_slug], array[p_task_index], array[p_claim_no], array[p_output]) c;
  if v_answer <> 'done' then
    raise exception 'claim % of task %[%] in run % is no longer the current one', p_claim_no, p_step_slug, p_task_index, p_run_id using errcode = 'LF001';
  end if;
  if exists (
    select from pgflow.step_tasks t
    where t.run_id = p_run_id and t.step_slug = p_step_slug and t.task_index = p_task_index and t.status = 'failed'
  ) then
    raise exception 'the output of step % is not an array, but a map reads it', p_step_slug using errcode = 'LF003';
  end if;
end;
$$;
