-- A dead worker whose queue was dropped is deleted too, unless one of its tasks is started.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('gone', spec.step('a'));
select spec.deploy('held', spec.step('a'));
insert into pgflow.workers (queue_name, worker_id, function_name) values ('gone', spec.worker(2), 'edge'), ('held', spec.worker(3), 'edge'), ('never', spec.worker(4), 'edge');
select spec.start('held');
select from pgflow.start_tasks('held', array[(spec.task('a')).message_id], spec.worker(3));
select pgmq.drop_queue('gone');
select pgmq.drop_queue('held');
update pgflow.workers set last_heartbeat_at = now() - interval '2 days' where worker_id <> spec.worker();
select lives_ok($$ select pgflow.prune_data_older_than(interval '1 day') $$, 'it runs');
select is((select array_agg(worker_id order by worker_id) from pgflow.workers), array[spec.worker(1), spec.worker(3)], 'those without tasks are deleted');
update pgflow.step_tasks set status = 'cancelled';
select pgflow.prune_data_older_than(interval '1 day');
select is((select array_agg(worker_id) from pgflow.workers), array[spec.worker(1)], 'the other one when its task has ended');

select * from finish();
rollback;
