-- Attempts, delays and timeouts are stored at every deployment, of flows and of steps; also back to none.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_options => '{"timeout": 5}'), spec.step('b')], '{"timeout": 30}')]);
select is(
  (select d.status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a'), spec.step('b', p_options => '{"maxAttempts": 1, "baseDelay": 2, "timeout": 3, "startDelay": 4}')],
    '{"timeout": 90, "maxAttempts": 8, "baseDelay": 0}')]) d),
  'verified', 'options are no mismatch'
);
select is((select (f.opt_max_attempts, f.opt_base_delay, f.opt_timeout)::text from pgflow.flows f), '(8,0,90)', 'the flow has the new ones');
select results_eq('select step_slug, opt_max_attempts, opt_base_delay, opt_timeout, opt_start_delay from pgflow.steps order by step_index',
  $$ values ('a', null::int, null::int, null::int, null::int), ('b', 1, 2, 3, 4) $$, 'and so have the steps');

select * from finish();
rollback;
