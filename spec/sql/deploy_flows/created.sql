-- A new flow: definition, queue, worker, handlers and an active alias.
begin;
\ir ../support/fixtures.sql
select plan(9);

select results_eq(
  $$ select flow_slug, status, alias_status, differences from spec.deploy_registry(array[spec.flow('Greet', array[
    spec.step('hello', p_options => '{"maxAttempts": 7, "baseDelay": 0, "timeout": 9, "startDelay": 2}'), spec.map('each', 'hello')
  ], '{"maxAttempts": 4, "baseDelay": 6, "timeout": 33}')], p_generation => 5) $$,
  $$ values ('Greet', 'created', 'activated', '{}'::text[]) $$, 'the answer'
);
select results_eq(
  $$ select step_slug, step_type, step_index, deps_count, queue_name, opt_max_attempts, opt_base_delay, opt_timeout, opt_start_delay from pgflow.steps order by step_index $$,
  $$ values ('hello', 'single', 0, 0, 'greet', 7, 0, 9, 2), ('each', 'map', 1, 1, 'greet', null::int, null::int, null::int, null::int) $$, 'the steps'
);
select is((select (f.flow_alias, f.opt_max_attempts, f.opt_base_delay, f.opt_timeout)::text from pgflow.flows f), '(Greet,4,6,33)', 'the flow');
select is(spec.messages('greet'), 0::bigint, 'the queue was made');
select is((select active_flow_slug from pgflow.flow_aliases), 'Greet', 'the alias is active');
select is((select (from_flow_slug, to_flow_slug, worker_id = spec.worker())::text from pgflow.alias_activations), '(,Greet,t)', 'the history says so');
select is((select (queue_name, function_name, generation)::text from pgflow.workers), '(greet,spec,5)', 'the worker');
select set_eq('select flow_slug, step_slug from pgflow.worker_handlers', $$ values ('Greet', 'hello'), ('Greet', 'each') $$, 'its handlers');
select is((select enabled from pgflow.worker_functions where function_name = 'spec'), true, 'its function is enabled');

select * from finish();
rollback;
