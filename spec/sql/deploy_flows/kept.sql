-- A registry that lacks the active version never moves the alias (I2).
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.deploy_registry(array[
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]);
select results_eq($$ select status, alias_status from spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')], p_worker => 2) $$,
  $$ values ('verified', 'kept') $$, 'a stale replica');
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v2', 'the alias stays');
select is((select count(*) from pgflow.alias_activations), 2::bigint, 'and the history too');

select * from finish();
rollback;
