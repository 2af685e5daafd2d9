-- The earlier version active and the later one retained: the alias moves back.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.deploy_registry(array[
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]);
select set_eq(
  $$ select flow_slug, alias_status from spec.deploy_registry(array[
    spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_retained => true)]) $$,
  $$ values ('greet_v1', 'activated'), ('greet_v2', 'retained') $$, 'the answer'
);
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v1', 'the alias is back');

select * from finish();
rollback;
