-- A result that comes after its run has ended changes nothing.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', p_permanent => true);
create temp table before as select spec.runtime() as runtime;
select is(spec.complete('b', '1'), 'stale', 'the answer');
select is(spec.runtime(), (select runtime from before), 'nothing changed');
select is((spec.task('b')).status, 'cancelled', 'the task stays cancelled');
select is(spec.messages('greet'), 0::bigint, 'the queue stays empty');

select * from finish();
rollback;
