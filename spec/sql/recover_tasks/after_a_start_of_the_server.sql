-- Right after a start of the server a worker may not have sent a heartbeat yet: its tasks are not taken for stalled, whatever time the outage took.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
insert into pgflow.workers (worker_id, queue_name, function_name, unbroken_since) values (spec.worker(2), 'greet', 'spec', now() - interval '1 hour');
update pgflow.step_tasks set queued_at = now() - interval '3 hours', started_at = now() - interval '2 hours';
update pgflow.workers set last_heartbeat_at = pg_postmaster_start_time() - interval '3 hours' where worker_id = spec.worker();
create or replace function pgflow._has_server_settled() returns boolean language sql as 'select false';
select is_empty($$ select * from pgflow.recover_tasks(spec.worker(2)) $$, 'it waits');
create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
select results_eq($$ select reason from pgflow.recover_tasks(spec.worker(2)) $$, array['dead_worker'], 'until the server has been up for a minute');

select * from finish();
rollback;
