-- Raises if an idempotency key is too long for its index.
create or replace function pgflow._check_keys(p_keys text[]) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_longest int := (select max(octet_length(k)) from unnest(p_keys) k);
begin
  if v_longest > 1024 then
    raise exception 'the idempotency key has % bytes, but at most 1024 are allowed', v_longest using errcode = 'invalid_parameter_value';
  end if;
end;
$$;
