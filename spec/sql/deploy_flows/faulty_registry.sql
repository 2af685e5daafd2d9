-- A registry that contradicts itself is refused, and nothing changes.
begin;
\ir ../support/fixtures.sql
select plan(9);

select is((select array_agg(message) from spec.deploy_registry(array[spec.flow('one', array[spec.step('a')]), spec.flow('one', array[spec.step('a')])])),
  array_fill('the registry has the flow more than once'::text, array[2]), 'a flow twice');
select is((select array_agg(status || ': ' || message order by flow_slug) from spec.deploy_registry(array[spec.flow('v1', array[spec.step('a')], p_alias => 'one'), spec.flow('v2', array[spec.step('a')], p_alias => 'one')])),
  array['invalid: alias one can have one active version, but v2 is active too: use luaflow.retain on all versions but one', 'invalid: alias one can have one active version, but v1 is active too: use luaflow.retain on all versions but one'], 'two active versions');
select is((select status from spec.deploy_registry(array[jsonb_set(spec.flow('one', array[spec.step('a')]), '{routing}', '{}')])), 'invalid', 'a step without a queue');
select is((select status from spec.deploy_registry(array[jsonb_set(spec.flow('one', array[spec.step('a')]), '{routing,b}', '"one"')])), 'invalid', 'a queue for no step');
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('a')])])), 'invalid', 'a step twice');
select throws_ok($$ select pgflow.deploy_flows(spec.worker(), 'spec', 'one', null, 1) $$, '22023', 'deploy_flows needs the name of a queue and an array of flows, but the queue is ''one'' and the flows are absent', 'no registry');
select throws_ok($$ select pgflow.deploy_flows(spec.worker(), 'spec', 'One', '{"flows": []}', 1) $$, '22023', null, 'no valid queue');
select throws_ok($$ select pgflow.ensure_flow_compiled('one', null) $$, '22023', 'the shape of flow ''one'' has no array of steps', 'no shape');
select is_empty($$ select flow_slug from pgflow.flows union all select function_name from pgflow.worker_functions union all select queue_name from pgflow.queues union all select flow_alias from pgflow.flow_aliases $$, 'nothing was stored');

select * from finish();
rollback;
