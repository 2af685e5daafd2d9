-- A second or late failure never moves the retry delay, nor anything else.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', 'first', p_delay => 100);
create temp table before as select spec.runtime() as runtime, q.vt from pgmq.q_greet q;
select is(spec.fail('a', 'again', p_delay => 500), 'already', 'the same claim again');
select is(spec.fail('a', 'foreign', p_claim_no => 7, p_delay => 500), 'stale', 'another claim');
select is(spec.fail('a', 'free', p_delay => 500, p_free => true), 'already', 'a snooze');
select is(spec.fail('a', 'permanent', p_permanent => true), 'already', 'a permanent one');
select is(spec.release('a'), 'already', 'a release');
select is(spec.runtime(), (select runtime from before), 'no row changed');
select is((select vt from pgmq.q_greet), (select vt from before), 'nor did the message''s visibility');
select is(spec.fail('nowhere', p_claim_no => 1), 'stale', 'an unknown task');

select * from finish();
rollback;
