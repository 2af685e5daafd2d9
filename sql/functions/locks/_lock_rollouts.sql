-- Takes the one lock under which rollouts and the switches of worker functions change, until the transaction ends.
-- Raises lock_not_available, with who holds it, if another one continues for more than 10 s.
create or replace function pgflow._lock_rollouts() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgflow._await_lock('rollout_lock', 'exclusive', current_setting('lock_timeout'),
    'could not lock the rollouts: another transaction changes rollouts or worker functions');
end;
$$;
