-- A second release, another claim and an unknown task are stale; a settled claim is already.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.release('a');
create temp table before as select spec.runtime() as runtime;
select is(spec.release('a'), 'stale', 'twice');
select is(spec.release('b', p_claim_no => 9), 'stale', 'another claim');
select is(spec.release('nowhere', p_claim_no => 1), 'stale', 'unknown');
select is(spec.runtime(), (select runtime from before), 'nothing changed');
select spec.complete('b', '1');
select is(spec.release('b'), 'already', 'completed');
select is((spec.task('b')).status, 'completed', 'it stays so');

select * from finish();
rollback;
