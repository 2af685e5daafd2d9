-- A stalled task is found however long ago its message became visible while nobody polled, and by whoever asks.
begin;
\ir ../support/fixtures.sql
select plan(6);

create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.age_claim('a', interval '1 hour');
select spec.age_claim('b', interval '1 hour');
update pgmq.q_greet set vt = clock_timestamp() - interval '1 hour';
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '1 hour';
select is((select in_flight from pgflow.queue_status), 2::bigint, 'the queue''s figures');
select is((select tasks_in_flight from pgflow.worker_tasks()), 2::bigint, 'the worker''s tasks');
select pgflow._forget_workers(clock_timestamp());
select is((select count(*) from pgflow.workers), 1::bigint, 'the worker is not forgotten');
select is((select count(*) from pgflow.reconcile_claims(spec.worker(), array[spec.run()], '{a}', '{0}', array[spec.claim_no('a')])), 1::bigint, 'reconciliation finds the one that is not known');
select is(pgflow.requeue_stalled_tasks(), 1, 'the other is put back');
select is((select t.status from spec.task('a') t), 'queued', 'it is');

select * from finish();
rollback;
