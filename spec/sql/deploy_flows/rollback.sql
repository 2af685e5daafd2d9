-- The earlier version active and the later one retained: the alias moves back.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.deploy_registry(array[
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]);
select set_eq(
  $$ select flow_slug, alias_status from spec.deploy_registry(array[
    spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_retained => true)]) $$,
  $$ values ('greet_v1', 'moved back'), ('greet_v2', 'retained') $$, 'the answer'
);
select from spec.deploy_registry(array[spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'),
  spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)], p_worker => 2);
select matches(
  (select message from spec.deploy_registry(array[
    spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_retained => true)])
    where flow_slug = 'greet_v1'),
  '^alias greet: greet_v2 -> greet_v1, which had been replaced: worker ' || spec.worker(2)
    || ' \(function spec, queue greet_v2\) activated greet_v2 at 20', 'it says who had moved it forth');
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v1', 'the alias is back');

select * from finish();
rollback;
