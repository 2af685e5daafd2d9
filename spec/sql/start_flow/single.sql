-- A run of single steps: the row, a state for each step, a task and a message for each root.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select is(
  (select (r.run_id = spec.run(), r.flow_slug, r.flow_alias, r.started_as, r.status, r.input, r.output, r.remaining_steps)::text
  from pgflow.start_flow('greet', '{"name": "Ada"}', spec.run()) r),
  '(t,greet,greet,greet,started,"{""name"": ""Ada""}",,2)', 'the run''s row comes back'
);
select results_eq(
  $$ select step_slug, status, initial_tasks, remaining_tasks, remaining_deps from pgflow.step_states order by step_slug $$,
  $$ values ('a', 'started', 1, 1, 0), ('b', 'created', 1, null::int, 1) $$, 'the states'
);
select is((select (t.step_slug, t.task_index, t.status, t.attempts_count, t.claim_no, t.queue_name)::text from pgflow.step_tasks t), '(a,0,queued,0,0,greet)', 'the task');
select is(
  (select q.message from pgmq.q_greet q where q.msg_id = (spec.task('a')).message_id),
  jsonb_build_object('flow_slug', 'greet', 'run_id', spec.run(), 'step_slug', 'a', 'task_index', 0), 'the message names it'
);
select is(spec.messages('greet'), 1::bigint, 'there is one message');

select * from finish();
rollback;
