-- A slug longer than a queue name is fine as long as every step is routed elsewhere.
begin;
\ir ../support/fixtures.sql
select plan(5);

select is((select status from spec.deploy_registry(array[spec.flow(repeat('a', 48), array[spec.step('a')])], 'short')), 'queue_conflict', 'refused with the default route');
select is((select status from spec.deploy_registry(array[spec.flow(repeat('a', 48), array[spec.step('a'), spec.step('b')], p_routing => '{"a": "short"}')], 'short')), 'queue_conflict', 'refused with one step left');
select is((select count(*) from pgmq.meta where queue_name = 'short'), 0::bigint, 'no queue was made');
select is((select status from spec.deploy_registry(array[spec.flow(repeat('a', 128), array[spec.step('a')], p_routing => '{"a": "short"}')], 'short')), 'created', 'stored when routed');
select is((select status from spec.deploy_registry(array[spec.flow(repeat('b', 47), array[spec.step('a')])])), 'created', '47 characters need no route');

select * from finish();
rollback;
