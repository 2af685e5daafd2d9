-- It says what a deployment would find, and does nothing.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('one', spec.step('a'));
create temp table before as select spec.definitions() as d;
create temp table registry as select jsonb_build_object('flows', jsonb_build_array(spec.flow('new', array[spec.step('a')]), spec.flow('one', array[spec.step('b')]), spec.flow('Bad slug', array[spec.step('a')]))) as r;
select results_eq('select flow_slug, status from registry, pgflow.preview_deployment(''one'', r)', $$ values ('new', 'created'), ('one', 'shape_mismatch'), ('Bad slug', 'invalid'), ('one', 'uncovered') $$, 'each flow, in order');
select is(spec.definitions(), (select d from before), 'nothing changed');
update pgflow.settings set development = true;
select is((select status from registry, pgflow.preview_deployment('one', r - 'x') where flow_slug = 'one'), 'recreated', 'a development database');

select * from finish();
rollback;
