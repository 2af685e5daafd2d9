-- A deployment of the same worker replaces its generation and its handlers.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('one', spec.step('a'));
update pgflow.flow_aliases set active_flow_slug = null;
select spec.deploy_registry(array[spec.flow('two', array[spec.step('b')], p_routing => '{"b": "one"}')], 'one', p_generation => 2);
select is((select generation from pgflow.workers), 2::bigint, 'the generation is the new one');
select set_eq('select flow_slug, step_slug from pgflow.worker_handlers', $$ values ('two', 'b') $$, 'only the new handlers are left');
select is((select count(*) from pgflow.flows), 2::bigint, 'a flow that was dropped from the registry stays defined');

select * from finish();
rollback;
