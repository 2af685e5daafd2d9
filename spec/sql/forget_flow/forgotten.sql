-- A version that nobody needs goes with its steps; once its worker has stopped, or has not been heard of for 30 s. The last one takes its alias along.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a'), spec.step('b', '{a}')], p_alias => 'greet', p_retained => true), spec.flow('greet_v2', array[spec.step('b')], p_alias => 'greet')]);
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds';
select lives_ok($$ select pgflow.forget_flow('greet_v1') $$, 'forgotten');
select set_eq('select flow_slug from pgflow.flows union select flow_slug from pgflow.steps union select flow_slug from pgflow.deps', '{greet_v2}'::text[], 'it is gone');
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v2', 'the alias stays where it was');
select throws_ok($$ select pgflow.forget_flow('greet_v1') $$, '42704', null, 'a repeated call');
update pgflow.workers set last_heartbeat_at = clock_timestamp(), stopped_at = clock_timestamp();
select pgflow.retire_alias('greet');
select lives_ok($$ select pgflow.forget_flow('greet_v2') $$, 'the last version');
select is_empty('select flow_alias from pgflow.flow_aliases', 'takes its alias along');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_alias => 'hello')], p_worker => 2)), 'created', 'whose name is free');

select * from finish();
rollback;
