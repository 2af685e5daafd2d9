-- The same rule holds between two flows of one registry.
begin;
\ir ../support/fixtures.sql
select plan(2);

create temp table before as select spec.definitions() as definitions;
select ok('alias_conflict' in (select status from spec.deploy_registry(array[
  spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet'), spec.flow('other', array[spec.step('a')], p_alias => 'greet_v1')])), 'an alias that is the slug of another flow');
select is(spec.definitions(), (select definitions from before), 'nothing changed');

select * from finish();
rollback;
