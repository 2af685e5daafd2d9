-- Each change of a runtime option is kept: which, by whom, from and to; the last one shows with its version.
begin;
\ir ../support/fixtures.sql
select plan(9);

create function spec.deploy_options(p_flow jsonb, p_step jsonb, p_worker int) returns text[] language sql as $$
  select differences from spec.deploy_registry(array[spec.flow('orders', array[spec.step('pay', p_options => p_step)], p_flow)], p_worker => p_worker, p_function => 'team' || p_worker);
$$;
select spec.deploy_options('{}', '{"timeout": 99}', 1);
select is_empty('select from pgflow.option_changes', 'a new flow has none');
select is(spec.deploy_options('{"maxAttempts": 7}', '{"timeout": 10, "startDelay": 3}', 2),
  array['orders: max_attempts 3 -> 7', 'orders.pay: timeout 99 -> 10 s', 'orders.pay: start_delay 0 -> 3 s'], 'a stale replica, say');
select results_eq('select step_slug, option, from_value, to_value, function_name, worker_id from pgflow.option_changes order by change_id',
  $$ values (null, 'max_attempts', 3, 7, 'team2', spec.worker(2)), ('pay', 'timeout', 99, 10, 'team2', spec.worker(2)), ('pay', 'start_delay', 0, 3, 'team2', spec.worker(2)) $$,
  'all are kept');
select is(spec.deploy_options('{"maxAttempts": 7}', '{"timeout": 10, "startDelay": 3}', 1), '{}', 'then nothing changes');
select is((select count(*)::int from pgflow.option_changes), 3, 'and nothing is added');
select is(spec.deploy_options('{"maxAttempts": 7}', '{"startDelay": 3}', 1), array['orders.pay: timeout 10 s -> the flow''s'], 'back to the flow''s');
select results_eq('select last_option_change, option_changed_by, option_changed_at from pgflow.flow_versions',
  $$ values ('orders.pay: timeout 10 s -> the flow''s', 'team1', now()) $$, 'the last change shows with the version');
select is_empty('select from pgflow.check_invariants(true)', 'and all is consistent');

select spec.deploy_options(jsonb_build_object('timeout', n), '{}', 1) from generate_series(1, 120) n;
select is((select count(*)::int from pgflow.option_changes), 100, 'of each version the last hundred are kept');

select * from finish();
rollback;
