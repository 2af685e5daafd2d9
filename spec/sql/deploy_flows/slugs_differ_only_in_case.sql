-- Two flow slugs that differ only in case are refused, stored or within one registry.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
create temp table before as select spec.definitions() as definitions;
select is((select status from spec.deploy_registry(array[spec.flow('Greet', array[spec.step('a')])]) where flow_slug = 'Greet'), 'invalid', 'against a stored one');
select ok((select bool_or(status = 'invalid') from spec.deploy_registry(array[spec.flow('two', array[spec.step('a')]), spec.flow('TWO', array[spec.step('a')])])), 'against another of the registry');
select is(spec.definitions(), (select definitions from before), 'nothing changed');

select * from finish();
rollback;
