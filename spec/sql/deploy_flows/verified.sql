-- The same again changes no definition.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
create temp table before as select spec.definitions() - 'workers' as definitions;
select results_eq(
  $$ select status, alias_status, differences from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a'), spec.step('b', '{a}')])]) $$,
  $$ values ('verified', 'already active', '{}'::text[]) $$, 'the answer'
);
select is(spec.definitions() - 'workers', (select definitions from before), 'the definitions are as they were');

select * from finish();
rollback;
