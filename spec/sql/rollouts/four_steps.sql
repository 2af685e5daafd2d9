-- A rollout records and disables, deprecates, and in the end enables what was enabled before; it can be resumed.
begin;
\ir ../support/fixtures.sql
select plan(21);

select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], 'one', 1, p_function => 'first');
select spec.deploy_registry(array[spec.flow('two', array[spec.step('a')])], 'two', 2, p_function => 'second');
select spec.deploy_registry(array[spec.flow('three', array[spec.step('a')])], 'three', 3, p_function => 'third');
select results_eq($$ select * from pgflow.disable_worker_functions('{second}') $$, $$ values ('second', false, true) $$, 'one is off already');

select throws_ok($$ select pgflow.begin_rollout('{first,nobody}') $$, '42704', 'there is no worker function nobody', 'an unknown function is refused');
select throws_ok($$ select pgflow.begin_rollout('{}') $$, '22023', 'no worker function is named', 'and none at all');
select is((select count(*) from pgflow.rollouts), 0::bigint, 'nothing is open');
select throws_ok('select pgflow.finish_rollout()', '55000', 'no rollout is open', 'and nothing can be finished');

select spec.start('one');
select spec.claim_all('one');
select results_eq($$ select * from pgflow.begin_rollout('{second,first}') $$, $$ values ('first', true, 1), ('second', false, 1) $$, 'both are recorded, with their workers');
select results_eq('select function_name, enabled from pgflow.worker_functions order by 1', $$ values ('first', false), ('second', false), ('third', true) $$, 'and disabled');
select results_eq('select worker_id from pgflow.workers where deprecated_at is not null order by 1', 'select spec.worker(n) from generate_series(1, 2) n', 'their workers are deprecated');
select is((select array_agg(status) from pgflow.claim_tasks(spec.worker(), 1, 'one', 5)), '{not_subscribed}', 'and claim nothing');
select throws_ok($$ select pgflow.begin_rollout('{third}') $$, '55000', 'a rollout of first, second is open', 'another one has to wait');
select results_eq($$ select function_name, queue_names, was_enabled, enabled, live_workers, tasks_in_flight from pgflow.rollout_status() $$,
  $$ values ('first', '{one}'::text[], true, false, 1, 1::bigint), ('second', '{two}', false, false, 1, 0) $$, 'the status says what is waited for');
select throws_ok('select pgflow.finish_rollout()', '55000', 'old workers are still alive: first (1), second (1)', 'it cannot be finished yet');

select pgflow.mark_worker_stopped(spec.worker(n)) from generate_series(1, 2) n;
select results_eq($$ select * from pgflow.begin_rollout('{first,second}') $$, $$ values ('first', true, 0), ('second', false, 0) $$, 'begun again it goes on');
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], 'one', 4, p_function => 'first')), 'fenced', 'a new worker waits');
select throws_ok($$ select pgflow.enable_worker_functions('{third,first}') $$, '55000', 'the open rollout keeps these worker functions disabled until it is finished: first', 'nobody enables it meanwhile');
select throws_ok($$ select pgflow.disable_worker_functions('{second}') $$, '55000', 'the open rollout keeps these worker functions disabled until it is finished: second', 'nor disables it, to find it enabled at the end');
update pgflow.worker_functions set enabled = true where function_name = 'first';
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], 'one', 4, p_function => 'first')), 'verified', 'somebody lets one in too early');
select results_eq($$ select function_name, enabled, live_workers from pgflow.rollout_status() $$, $$ values ('first', true, 1), ('second', false, 0) $$, 'which the status counts');
select results_eq($$ select * from pgflow.begin_rollout('{first,second}') $$, $$ values ('first', true, 1), ('second', false, 0) $$, 'begun again it is sent away');
select pgflow.mark_worker_stopped(spec.worker(4));
select results_eq('select * from pgflow.finish_rollout()', $$ values ('first', true), ('second', false) $$, 'only what was enabled is enabled again');
select is_empty('select * from pgflow.rollout_status()', 'and the rollout is closed');

select * from finish();
rollback;
