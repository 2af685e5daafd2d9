-- A development database recreates a flow that is routed elsewhere, too.
begin;
\ir ../support/fixtures.sql
select plan(4);

update pgflow.settings set development = true;
select spec.deploy('greet', spec.step('a'));
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_routing => '{"a": "elsewhere"}')])), 'recreated', 'the status');
select is((select queue_name from pgflow.steps), 'elsewhere', 'the step has its new queue');
select is(spec.messages('elsewhere'), 0::bigint, 'which exists');
select is(spec.messages('greet'), 0::bigint, 'the old one was not dropped');

select * from finish();
rollback;
