-- The token of one task completes no other, nor a later claim of the same.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy('bank', spec.step('transfer'), spec.map('each'));
select spec.start('bank', '[1, 2]');
select spec.start('bank', '[1]', p_run => 2);
select spec.claim_all('bank');
create temp table opened as select spec.open('each', 60000) as token;

select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'each', 1, spec.claim_no('each', 1), '1') $$, token), 'LF001', null, 'another element') from opened;
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'transfer', 0, spec.claim_no('transfer'), '1') $$, token), 'LF001', null, 'another step') from opened;
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(2), 'each', 0, spec.claim_no('each', 0, 2), '1') $$, token), 'LF001', null, 'another run') from opened;
update pgflow.step_tasks t set claim_no = t.claim_no + 1 where t.run_id = spec.run() and t.step_slug = 'each' and t.task_index = 0;
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'each', 0, spec.claim_no('each'), '1') $$, token), 'LF001', null, 'a later claim') from opened;
update pgflow.step_tasks t set claim_no = t.claim_no - 1 where t.run_id = spec.run() and t.step_slug = 'each' and t.task_index = 0;
select is((select count(*) from pgflow.step_tasks t where t.status = 'started'), 5::bigint, 'nothing was completed');
select lives_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'each', 0, spec.claim_no('each'), '1') $$, token), 'its own') from opened;
select is((spec.task('each', 0)).status, 'completed', 'is completed');

select * from finish();
rollback;
