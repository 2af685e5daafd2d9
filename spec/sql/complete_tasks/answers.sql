-- done once; already for this very claim; stale for any other; unknown tasks are stale.
begin;
\ir ../support/fixtures.sql
select plan(10);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select is(spec.complete('a'), 'stale', 'queued, never claimed');
select spec.claim_all('greet');
select is(spec.complete('a', p_claim_no => 2), 'stale', 'a claim that never was');
select is(spec.complete('a', p_claim_no => 0), 'stale', 'the claim before');
select is(spec.complete('a'), 'done', 'the current one');
create temp table before as select spec.runtime() as runtime;
select is(spec.complete('a', '"again"'), 'already', 'the same again');
select is(spec.complete('a', p_claim_no => 2), 'stale', 'another claim of a completed task');
select is(spec.complete('nowhere', p_claim_no => 1), 'stale', 'an unknown step');
select is(spec.complete('a', p_index => 7, p_claim_no => 1), 'stale', 'an unknown index');
select is(spec.complete('a', p_run => 7, p_claim_no => 1), 'stale', 'an unknown run');
select is(spec.runtime(), (select runtime from before), 'none of these changed anything');

select * from finish();
rollback;
