-- A retry keeps completed steps and their outputs, repeats the elements of an incomplete map that had not completed, and evaluates skipped steps again.
begin;
\ir ../support/fixtures.sql
select plan(15);

select spec.deploy('orders',
  spec.step('list'),
  spec.step('optional', p_only_if => '{"never": true}'),
  spec.step('shaky', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'),
  spec.map('each', 'list', '{"maxAttempts": 1}'),
  spec.step('total', array['each', 'shaky']));
select spec.start('orders');
select spec.claim_all('orders');
select spec.complete('list', '[1, 2]');
select spec.fail('shaky');
select spec.claim_all('orders');
select spec.complete('each', '10');
select spec.fail('each', 'no luck', 1);
select is((spec.run_row()).status, 'failed', 'the run fails in its map');

create temp table retried as select * from pgflow.retry_run(spec.run());
select results_eq('select flow_slug, input, status, restart_of_run_id, remaining_steps, error_message from retried',
  $$ values ('orders', '{}'::jsonb, 'started', spec.run(), 3, null::text) $$, 'a new run, of the steps that are left');
select results_eq($$ select s.step_slug, s.status, s.output, s.initial_tasks, s.remaining_deps from pgflow.step_states s join retried using (run_id) order by 1 $$,
  $$ values ('each', 'started', null::jsonb, 2, 0), ('list', 'completed', '[1, 2]', 1, 0), ('optional', 'skipped', null, 1, 0),
     ('shaky', 'started', null, 1, 0), ('total', 'created', null, 1, 2) $$, 'completed steps are kept, the map starts with all its elements, conditions are tested again');
select is((select count(*) from pgflow.step_tasks join retried using (run_id) where step_slug = 'list'), 0::bigint, 'what is kept has no tasks');
select is((select r.run_id from pgflow.retry_run(spec.run()) r), (select run_id from retried), 'a second retry returns the first');
select results_eq($$ select r.run_id, r.status from pgflow.retry_run((select run_id from retried)) r $$,
  $$ select run_id, 'started' from retried $$, 'a started run is not started again');

update pgflow.runs r set run_id = spec.run(2) from retried x where r.run_id = x.run_id;
update pgflow.step_states r set run_id = spec.run(2) from retried x where r.run_id = x.run_id;
update pgflow.step_tasks r set run_id = spec.run(2) from retried x where r.run_id = x.run_id;
select set_eq($$ select spec.claim('orders') $$, array['each:1', 'shaky:0'], 'its tasks can be claimed, except the element that had completed');
select is((select (t.status, t.output, t.attempts_count)::text from spec.task('each', 0, 2) t), '(completed,10,0)', 'which keeps its output');
select is((select input from pgflow.step_tasks where run_id = spec.run(2) and step_slug = 'each' and task_index = 1), '2'::jsonb, 'a map task has its element');
select spec.complete('each', '20', 1, 2);
select spec.complete('shaky', '"well"', 0, 2);
select spec.claim_all('orders');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'orders', 1) where kind = 'task'), null, 'all is claimed');
select spec.complete('total', '30', 0, 2);
select results_eq('select status, output from pgflow.runs where run_id = spec.run(2)', $$ values ('completed', '{"total": 30}'::jsonb) $$, 'it completes');
select throws_ok($$ select * from pgflow.retry_run(spec.run(2)) $$, '55000', format('run %s cannot be retried: it is completed', spec.run(2)), 'a completed run cannot be retried');
select is_empty($$ select * from pgflow.retry_run(spec.run(99)) $$, 'an unknown run gives no row');

select spec.start('orders', p_run => 3);
select from pgflow.cancel_run(spec.run(3));
select is((select status from pgflow.retry_run(spec.run(3))), 'started', 'a cancelled run can be retried');
select is_empty('select * from pgflow.check_invariants(true)', 'and all is consistent');

select * from finish();
rollback;
