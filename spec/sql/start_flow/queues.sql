-- Each task goes to the queue of its step and keeps a snapshot of it.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('Greet', array[spec.step('a'), spec.step('b'), spec.map('c', 'a')], p_routing => '{"b": "slow", "c": "slow"}')]);
select spec.start('Greet');
select results_eq('select step_slug, queue_name from pgflow.step_tasks order by step_slug', $$ values ('a', 'greet'), ('b', 'slow') $$, 'snapshots');
select is(spec.messages('greet') || ' ' || spec.messages('slow'), '1 1', 'one message on each');
select spec.claim_all('greet');
select spec.complete('a', '[1, 2]');
select is(spec.messages('greet') || ' ' || spec.messages('slow'), '0 3', 'the map''s messages are on the slow queue');

select * from finish();
rollback;
