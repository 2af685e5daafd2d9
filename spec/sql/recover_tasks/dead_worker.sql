-- Tasks of a worker that has stopped, has no row, or was silent for 30 s are put back at once, whatever their timeout.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.map('a', p_options => '{"timeout": 3600}'));
select spec.deploy_registry(array[spec.flow('greet', array[spec.map('a', p_options => '{"timeout": 3600}')])], p_worker => n) from generate_series(2, 4) n;
create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
update pgflow.workers set unbroken_since = now() - interval '1 hour';

select spec.start('greet', '[0, 1, 2, 3]');
select spec.claim('greet', 1, n) from generate_series(1, 4) n;
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'all of them live');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds' where worker_id = spec.worker(2);
update pgflow.workers set stopped_at = now() where worker_id = spec.worker(3);
delete from pgflow.workers where worker_id = spec.worker(4);
select results_eq(
  $$ select task_index, reason, outcome from pgflow.recover_tasks(spec.worker()) order by task_index $$,
  $$ values (1, 'dead_worker', 'requeued'), (2, 'dead_worker', 'requeued'), (3, 'dead_worker', 'requeued') $$, 'silent, stopped, unknown'
);
select is(spec.tasks('a'), '{started,queued,queued,queued}', 'the one of the living stays');
select is((select (t.attempts_count, t.requeued_count, t.requeued_dead_count)::text from spec.task('a', 1) t), '(1,0,1)', 'counted as a death');
select is((select count(*) from spec.claim('greet')), 3::bigint, 'claimable at once');

select * from finish();
rollback;
