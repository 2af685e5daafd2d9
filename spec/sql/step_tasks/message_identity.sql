-- Message ids are unique within a queue, not between queues (I3).
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('one', spec.step('a'));
select spec.deploy('two', spec.step('a'));
select spec.start('one');
select lives_ok('select spec.start(''two'', p_run => 2)', 'two queues may give out the same id');
select is((spec.task('a', 0, 1)).message_id, (spec.task('a', 0, 2)).message_id, 'as they do here');
select throws_ok(
  $$ insert into pgflow.step_tasks (flow_slug, run_id, step_slug, task_index, queue_name, message_id) select flow_slug, run_id, step_slug, 1, queue_name, message_id from pgflow.step_tasks $$,
  '23505', null, 'one queue may not');
select is(spec.complete('a'), 'stale', 'nothing is claimed yet');
select spec.claim_all('two');
select is((spec.task('a', 0, 1)).status || ' ' || (spec.task('a', 0, 2)).status, 'queued started', 'a claim takes the task of its own queue');
select is_empty('select spec.claim(''one'')', 'the worker of two is not subscribed to one');

select * from finish();
rollback;
