-- Makes PREPARE TRANSACTION of this transaction fail, always: the server refuses it where something was notified, which
-- otherwise depends on who listens. A commit that notifies waits for every other that does, so nothing is sent if no
-- transaction can be prepared.
create or replace function pgflow._forbid_prepare() returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select pg_notify('pgflow', 'started') where current_setting('max_prepared_transactions')::int > 0;
$$;
