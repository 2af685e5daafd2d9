-- The server ends a step's transaction by itself when its time is over; a shorter limit of the session stays, and none outlives the transaction.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('bank', spec.step('transfer'));
select spec.start('bank');
select spec.claim_all('bank');
set local statement_timeout = '2s';
set local idle_in_transaction_session_timeout = 0;
savepoint before;
select spec.open('transfer', 65000);
select is(current_setting('idle_in_transaction_session_timeout'), '65s', 'between two statements');
select is(current_setting('statement_timeout'), '2s', 'a shorter limit stays');
select is((select count(*)::int from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid() and l.mode = 'ShareLock'
  and (l.classid::bigint << 32 | l.objid::bigint) = pgflow._transaction_mark(spec.run(), 'transfer', 0, spec.claim_no('transfer'))), 1, 'it has the mark of its claim');
rollback to before;
select is(current_setting('idle_in_transaction_session_timeout'), '0', 'no longer than the transaction');
select lives_ok($$ select pgflow._limit_transaction(9000000000000) $$, 'a time beyond what the server can count is cut');

select * from finish();
rollback;
