-- A map whose failed elements give null: it completes whatever becomes of them, and their errors are kept.
begin;
\ir ../support/fixtures.sql
select plan(23);

select spec.deploy('prices',
  spec.map('price', p_options => '{"maxAttempts": 2, "baseDelay": 0}', p_when_element_exhausted => 'null'),
  spec.map('again', 'price', p_when_element_exhausted => 'null'),
  spec.step('total', array['price']));
select spec.start('prices', '[{"sku": "a"}, {"sku": "b"}, {"sku": "c"}]');
select spec.claim_all('prices');
select is(spec.fail('price', 'unknown', 1, p_permanent => true), 'done', 'for good');
select is(spec.tasks('price'), '{started,failed,started}', 'the others go on');
select is((select (s.status, s.remaining_tasks, s.failed_tasks, s.error_message)::text from spec.state('price') s), '(started,2,1,)', 'the step');
select is((spec.run_row()).status, 'started', 'and the run');
select is(spec.fail('price', 'unknown', 1), 'already', 'reported again');
select is(spec.fail('price', 'first', 0), 'done', 'an attempt of two');
select is((spec.task('price', 0)).status, 'queued', 'is repeated');
select spec.claim_all('prices');
select is((spec.state('price')).failed_tasks, 1, 'and not counted');
select is(spec.fail('price', 'second', 0), 'done', 'the last attempt');
select is_empty('select * from pgflow.check_invariants(true)', 'all is consistent');
select results_eq($$ select error_message, failed_tasks, remaining_tasks from pgflow.run_steps(spec.run()) where step_slug = 'price' $$,
  $$ values ('task 0 (element {"sku": "a"}): second', 2, 1) $$, 'run_steps has the first error');
select is(spec.complete('price', '3', 2), 'done', 'the last element');
select is((select (s.status, s.output, s.failed_tasks, s.remaining_tasks)::text from spec.state('price') s), '(completed,"[null, null, 3]",2,0)', 'null for what failed');
select is((select (t.status, t.output, t.error_message, t.attempts_count)::text from spec.task('price', 1) t), '(failed,,unknown,1)', 'the error is kept');
select is(spec.messages('prices'), 4::bigint, 'what depends on it has started');
select is((select array_agg(t.input order by t.task_index) from pgflow.step_tasks t where t.step_slug = 'again'), array['null', 'null', '3']::jsonb[], 'over the nulls too');
select results_eq($$ select error_message, failed_tasks from pgflow.run_steps(spec.run()) where step_slug = 'price' $$,
  $$ values ('task 0 (element {"sku": "a"}): second', 2) $$, 'run_steps of the completed step');
select is((select tasks_failed from pgflow.run_status), 2, 'run_status counts them');
select is(pgflow.run_details(spec.run()) #> '{steps,0,tasks,errors}',
  '[{"message": "second", "task_index": 0}, {"message": "unknown", "task_index": 1}]', 'run_details has all errors');
select is(pgflow.run_details(spec.run()) #>> '{steps,0,failed_tasks}', '2', 'and counts them');

-- The last element of the map ends in the batch in which another step fails the run, or does so before.
select spec.claim_all('prices');
select is(spec.fail_batch('{1,1,1,1}', '{total,again,again,again}', '{0,0,1,2}', '{no,x,y,z}', p_permanent => array[true, true, true, true]),
  '{done,done,done,done}', 'the result equals a serial order');
select is((select (s.status, s.failed_tasks)::text from spec.state('again') s), '(completed,3)', 'in which the step completes first');
select is_empty('select * from pgflow.check_invariants(true)', 'all is consistent');

select * from finish();
rollback;
