-- A deprecated worker deploys nothing.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('one', spec.step('a'));
update pgflow.workers set deprecated_at = now();
create temp table before as select spec.definitions() as definitions;
select is((select status from spec.deploy_registry(array[spec.flow('two', array[spec.step('b')])], p_generation => 2)), 'fenced', 'it is fenced');
select is((select message from spec.deploy_registry(array[spec.flow('two', array[spec.step('b')])], p_generation => 2)), 'the worker is deprecated', 'and told why');
select is(spec.definitions(), (select definitions from before), 'nothing changed');

select * from finish();
rollback;
