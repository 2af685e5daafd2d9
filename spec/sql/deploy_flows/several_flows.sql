-- Two flows in one registry, on one queue that both are routed to.
begin;
\ir ../support/fixtures.sql
select plan(3);

select set_eq(
  $$ select flow_slug, status, alias_status from spec.deploy_registry(array[
    spec.flow('one', array[spec.step('a')], p_routing => '{"a": "shared"}'), spec.flow('two', array[spec.step('a')], p_routing => '{"a": "shared"}')], 'shared') $$,
  $$ values ('one', 'created', 'activated'), ('two', 'created', 'activated') $$, 'a row for each'
);
select set_eq('select flow_slug, step_slug from pgflow.worker_handlers', $$ values ('one', 'a'), ('two', 'a') $$, 'the worker handles both');
select set_eq('select queue_name from pgflow.queues', $$ values ('shared') $$, 'one queue was made');

select * from finish();
rollback;
