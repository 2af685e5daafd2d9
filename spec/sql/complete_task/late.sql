-- On a run that has ended nothing changes.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', p_permanent => true);
create temp table before as select spec.runtime() as runtime;
select is((select t.status from pgflow.complete_task(spec.run(), 'b', 0, '1') t), 'cancelled', 'the row as it is');
select is((select t.status from pgflow.fail_task(spec.run(), 'b', 0, 'late') t), 'cancelled', 'for a failure, too');
select is(spec.runtime(), (select runtime from before), 'nothing changed');

select * from finish();
rollback;
