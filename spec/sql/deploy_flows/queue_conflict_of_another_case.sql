-- A foreign queue whose name differs only in case has the same table.
begin;
\ir ../support/fixtures.sql
select plan(1);

select pgmq.create('Greet');
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])])), 'queue_conflict', 'refused');

select * from finish();
rollback;
