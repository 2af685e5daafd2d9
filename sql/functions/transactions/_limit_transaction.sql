-- Makes the server end this transaction when the time of the attempt is over, in case its host never does: between two
-- statements, within one, and as a whole if the server knows transaction_timeout. A shorter limit of the session stays.
-- The limits end with the transaction.
create or replace function pgflow._limit_transaction(p_left_ms bigint) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_limit_ms int := least(greatest(p_left_ms, 1), 2147483647);
begin
  perform set_config(l.name, v_limit_ms::text, true)
  from (
    select s.name, extract(epoch from current_setting(s.name, true)::interval) * 1000 as ms
    from unnest(array['idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout']) as s (name)
  ) l
  where l.ms = 0 or l.ms > v_limit_ms;
end;
$$;
