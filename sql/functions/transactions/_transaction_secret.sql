-- Returns the secret that opens the transaction of one claim of a task, made with the key of transaction_keys: one
-- secret does not reveal another. It is computed for every task that is claimed, so it is one expression.
create or replace function pgflow._transaction_secret(p_key bytea, p_run_id uuid, p_step_slug text, p_task_index int, p_claim_no bigint) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return encode(sha256(p_key || convert_to(concat_ws(' ', p_run_id, p_step_slug, p_task_index, p_claim_no), 'UTF8') || p_key), 'hex');
end;
$$;
