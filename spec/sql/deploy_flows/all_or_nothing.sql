-- One refused flow keeps the others of its registry out.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('old', spec.step('a'));
create temp table before as select spec.definitions() as definitions;
select set_eq(
  $$ select flow_slug, status, alias_status from spec.deploy_registry(array[spec.flow('new', array[spec.step('a')]), spec.flow('old', array[spec.map('a')])]) $$,
  $$ values ('new', 'created', 'kept'), ('old', 'shape_mismatch', 'kept') $$, 'a row for each'
);
select is(spec.definitions(), (select definitions from before), 'the flow that would have been fine was not stored');

select * from finish();
rollback;
