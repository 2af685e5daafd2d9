-- The failure of a claim that another one has followed is refused.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.release('a');
select spec.claim_all('greet');
create temp table before as select vt from pgmq.q_greet;
select is(spec.fail('a', p_claim_no => 1, p_delay => 0), 'stale', 'the answer');
select is((select (t.status, spec.nth_claim(t.claim_no), t.error_message)::text from spec.task('a') t), '(started,2,)', 'the current claim goes on');
select is((select vt from pgmq.q_greet), (select vt from before), 'its message stays hidden');

select * from finish();
rollback;
