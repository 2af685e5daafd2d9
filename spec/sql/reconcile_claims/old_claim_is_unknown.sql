-- A task that the worker knows by an older claim alone is put back: the newer claim's answer was lost.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.release('a');
select spec.claim_all('greet');
select is((select count(*) from pgflow.reconcile_claims(spec.worker(), array[spec.run()], '{a}', '{0}', '{1}')), 1::bigint, 'put back');
select is((select (t.status, t.attempts_count, spec.nth_claim(t.claim_no))::text from spec.task('a') t), '(queued,0,2)', 'the task');

select * from finish();
rollback;
