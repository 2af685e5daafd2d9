-- rehearse_transaction(left_ms) -> the token of this transaction, of which it must be the first statement and which can
-- only be rolled back: a commit fails with LF002 and undoes everything, since it belongs to no claim that could be
-- completed. For `luaflow try`. The server ends the transaction after left_ms.
-- Locks: none that others wait for.
create or replace function pgflow.rehearse_transaction(p_left_ms bigint) returns uuid
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_token uuid;
begin
  perform pgflow._limit_transaction(p_left_ms);
  insert into pgflow.open_transactions (run_id, step_slug, task_index, claim_no)
  values (gen_random_uuid(), 'rehearsal', 0, 0)
  returning token into v_token;
  return v_token;
end;
$$;
