-- A root map has one task for each element of the input, in order, each with its own element.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('prices', spec.map('price'));
select spec.start('prices', '[1, "two", null, [3], {"four": 4}]');
select results_eq($$ select task_index, input, status from pgflow.step_tasks order by task_index $$,
  $$ values (0, '1'::jsonb, 'queued'), (1, '"two"', 'queued'), (2, 'null', 'queued'), (3, '[3]', 'queued'), (4, '{"four": 4}', 'queued') $$, 'the tasks');
select is((select (s.initial_tasks, s.remaining_tasks, s.status)::text from pgflow.step_states s), '(5,5,started)', 'the state');
select is(spec.messages('prices'), 5::bigint, 'a message for each');
select is((select array_agg((message ->> 'task_index')::int order by msg_id) from pgmq.q_prices), array[0, 1, 2, 3, 4], 'in the order of the array');
select is((select count(*) from pgflow.step_tasks t join pgmq.q_prices q on q.msg_id = t.message_id and (q.message ->> 'task_index')::int = t.task_index), 5::bigint, 'each task knows its own message');

select * from finish();
rollback;
