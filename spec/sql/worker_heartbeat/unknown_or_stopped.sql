-- A worker without a row, or stopped, is told that it is deprecated, and which of them it is; it is not brought back.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select results_eq($$ select deprecated, unknown from pgflow.worker_heartbeat(spec.worker(9), '{}', '{}', '{}', '{}') $$, $$ values (true, true) $$, 'unknown');
select pgflow.mark_worker_stopped(spec.worker());
update pgflow.workers set last_heartbeat_at = now() - interval '1 hour';
select results_eq($$ select deprecated, unknown from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}') $$, $$ values (true, false) $$, 'stopped');
select is((select count(*) from pgflow.workers), 1::bigint, 'no row was made');
select ok((select last_heartbeat_at < now() - interval '30 minutes' from pgflow.workers), 'none was refreshed');

select * from finish();
rollback;
