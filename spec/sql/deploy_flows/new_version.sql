-- A registry that contains the active version moves the alias.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select set_eq(
  $$ select flow_slug, status, alias_status from spec.deploy_registry(array[
    spec.flow('greet_v2', array[spec.map('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]) $$,
  $$ values ('greet_v2', 'created', 'activated'), ('greet_v1', 'verified', 'retained') $$, 'the answer'
);
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v2', 'the alias points at the new version');
select results_eq('select from_flow_slug, to_flow_slug from pgflow.alias_activations order by activation_id',
  $$ values (null, 'greet_v1'), ('greet_v1', 'greet_v2') $$, 'the history has both');

select * from finish();
rollback;
