-- claim_no grows at every claim and never shrinks; attempts are given back by a release.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.release('a');
select is((select (spec.nth_claim(claim_no), attempt)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), '(2,1)', 'after a release');
select spec.fail('a', p_delay => 0);
select is((select (spec.nth_claim(claim_no), attempt)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), '(3,2)', 'after a failure');

select * from finish();
rollback;
