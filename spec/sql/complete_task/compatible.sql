-- The old callback: it speaks for the current claim and returns the task's row.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet');
select from pgflow.start_tasks('greet', array[(spec.task('a')).message_id], spec.worker());
select is((select (t.step_slug, t.status, t.output)::text from pgflow.complete_task(spec.run(), 'a', 0, '{"x": 1}') t), '(a,completed,"{""x"": 1}")', 'the row');
select is(spec.states(), '{"a": "completed", "b": "started"}'::jsonb, 'the run gets on');
select is((select t.output from pgflow.complete_task(spec.run(), 'a', 0, '"again"') t), '{"x": 1}'::jsonb, 'a duplicate returns the row as it is');
select is((spec.run_row()).remaining_steps, 1, 'and counts nothing');
select is((select t.status from pgflow.complete_task(spec.run(), 'b', 0, '1') t), 'queued', 'a queued task is not completed');
select is(spec.messages('greet'), 1::bigint, 'nor archived');
select is_empty($$ select * from pgflow.complete_task(spec.run(), 'a', 7, '1') $$, 'an unknown task gives no row');
select is_empty($$ select * from pgflow.complete_task(spec.run(9), 'a', 0, '1') $$, 'nor does an unknown run');

select * from finish();
rollback;
