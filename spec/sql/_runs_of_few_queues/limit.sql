-- At most a hundred queues are touched by one call of prune_data_older_than, and the calls go on until nothing is left.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'));
-- 130 runs of which each has a task in a queue of its own, and the first one in two.
insert into pgflow.runs (run_id, flow_slug, flow_alias, started_as, status, input, started_at, cancelled_at)
select spec.run(n), 'greet', 'greet', 'greet', 'cancelled', '{}', now() - interval '2 days' + n * interval '1 second', now() - interval '1 day' from generate_series(1, 130) n;
insert into pgflow.step_tasks (flow_slug, run_id, step_slug, task_index, status, queue_name, message_id)
select 'greet', spec.run(greatest(n, 1)), 'a', (n = 0)::int, 'cancelled', 'gone_' || n, 1 from generate_series(0, 130) n;

select is(cardinality(pgflow._runs_of_few_queues('{}')), 0, 'no runs');
select is(
  (select count(distinct t.queue_name) from pgflow.step_tasks t
    where t.run_id = any (pgflow._runs_of_few_queues(array(select r.run_id from pgflow.runs r order by r.started_at)))), 100::bigint, 'a hundred queues');
select is(pgflow.prune_data_older_than('0'), 99::bigint, 'the first call');
select is(pgflow.prune_data_older_than('0'), 31::bigint, 'the second');
select is(pgflow.prune_data_older_than('0'), 0::bigint, 'the last');

select * from finish();
rollback;
