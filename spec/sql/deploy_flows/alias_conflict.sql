-- A flow belongs to one alias for ever, and an alias is never the slug of another alias's flow.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
create temp table before as select spec.definitions() as definitions;
select is((select status from spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'welcome')])), 'alias_conflict', 'another alias for a known flow');
select is((select status from spec.deploy_registry(array[spec.flow('other', array[spec.step('a')], p_alias => 'greet_v1')])), 'alias_conflict', 'an alias that is the slug of another alias''s flow');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_alias => 'other')])), 'alias_conflict', 'a slug that is another alias');
select is((select message from spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'welcome')])),
  'the flow belongs to alias greet, which cannot change to welcome: give the new version its own slug', 'with what to do');
select is((select message from spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')])])),
  'the flow belongs to alias greet, which cannot change to greet_v1: deploy it with alias = "greet", as the files do that brought it',
  'a version that is served by its own file, without an alias');
select is(spec.definitions(), (select definitions from before), 'nothing changed');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)])
  where flow_slug = 'greet'), 'created', 'the alias''s own plain version is fine');

select * from finish();
rollback;
