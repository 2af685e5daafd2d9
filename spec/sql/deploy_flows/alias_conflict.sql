-- A flow belongs to one alias for ever, and an alias is never the slug of another alias's flow.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
create temp table before as select spec.definitions() as definitions;
select is((select status from spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'welcome')])), 'alias_conflict', 'another alias for a known flow');
select is((select status from spec.deploy_registry(array[spec.flow('other', array[spec.step('a')], p_alias => 'greet_v1')])), 'alias_conflict', 'an alias that is the slug of another alias''s flow');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_alias => 'other')])), 'alias_conflict', 'a slug that is another alias');
select is(spec.definitions(), (select definitions from before), 'nothing changed');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)])
  where flow_slug = 'greet'), 'created', 'the alias''s own plain version is fine');

select * from finish();
rollback;
