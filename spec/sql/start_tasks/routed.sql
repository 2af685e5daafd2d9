-- Tasks of routed steps are found by their messages; ids that several queues have are those of the worker's own, or of the queue that is named.
begin;
\ir ../support/fixtures.sql
select plan(11);

select spec.deploy_registry(array[
  spec.flow('greet', array[spec.step('a'), spec.step('b'), spec.step('c', '{a}')], p_routing => '{"b": "prices", "c": "mail"}'),
  spec.flow('other', array[spec.step('d')], p_routing => '{"d": "prices"}')
]);
create function pg_temp.started(p_worker int, variadic p_ids bigint[]) returns text[] language sql volatile as $$
  select array_agg((r).step_slug) from pgflow.start_tasks('greet', p_ids, spec.worker(p_worker)) r
$$;
insert into pgflow.workers (queue_name, worker_id, function_name) values ('prices', spec.worker(2), 'edge'), ('nowhere', spec.worker(3), 'edge');
select spec.start('greet');
select is(format('%s %s', (spec.task('a')).message_id, (spec.task('b')).message_id), '1 1', 'both queues have message 1');
select throws_ok($$ select pgflow.start_tasks('greet', '{1}', spec.worker(3)) $$, '42725', 'messages 1 of flow greet are in several queues', 'whose is not said');
select is(pg_temp.started(2, 1), '{b}', 'those of the worker''s queue');
select is(pg_temp.started(3, 1), '{a}', 'the only one that is left');
select ok(spec.about(spec.hidden_s_of('b'), 62) and spec.about(spec.hidden_s_of('a'), 62), 'both are hidden');
select is((select in_flight from pgflow.queue_figures('prices')), 1::bigint, 'a task in flight is counted although nobody read its message');
select spec.complete('a');
select is(pg_temp.started(3, (spec.task('c')).message_id), '{c}', 'a third queue');
select is(pg_temp.started(1, 99), null, 'unknown ids');

select spec.start('greet', p_run => 2);
select is((select array_agg((r).step_slug) from pgflow.start_tasks_of_queue('greet', '{1,2}', spec.worker(3), 'prices') r), '{b}', 'the queue by its name');
select is((select array_agg((r).step_slug) from pgflow.start_tasks_of_queue('other', '{1,2}', spec.worker(3), 'prices') r), null, 'another flow''s are ignored');
select throws_ok($$ select pgflow.start_tasks_of_queue('greet', '{2}', spec.worker(7), 'greet') $$, '23503', null, 'an unknown worker');

select * from finish();
rollback;
