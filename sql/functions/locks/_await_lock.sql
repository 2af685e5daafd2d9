-- Takes a lock, until the transaction ends, and waits for it for 10 s, or for as long as the caller's lock_timeout
-- allows if that is less.
-- Then it raises lock_not_available, with what the holder does, who it is, and what to do.
create or replace function pgflow._await_lock(p_lock text, p_mode text, p_lock_timeout text, p_held_for text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '10s'
as $$
begin
  if p_lock_timeout::interval between interval '1 ms' and interval '10 s' then
    perform set_config('lock_timeout', p_lock_timeout, true);
  end if;
  execute format('lock table pgflow.%I in %s mode', p_lock, p_mode);
exception when lock_not_available then
  perform pgflow._refuse_lock(p_lock, p_mode, p_held_for);
end;
$$;
