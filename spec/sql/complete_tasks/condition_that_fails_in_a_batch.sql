-- A batch whose completion lets an unmet condition fail the run equals the serial order: what comes behind it in the run is stale.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('orders',
  spec.step('one'), spec.step('two'),
  spec.step('after_one', array['one'], p_only_if => '{"one": 1}', p_when_unmet => 'fail'),
  spec.step('after_two', array['two'], p_only_if => '{"two": 1}', p_when_unmet => 'fail'));
select spec.start('orders');
select spec.start('orders', p_run => 2);
select spec.claim_all('orders');

select is(spec.complete_batch('{1,1,2,2}', '{two,one,two,one}', '{0,0,0,0}', array['0', '0', '0', '1']::jsonb[]), '{stale,done,done,done}',
  'the run whose first step ended it refuses the second');
select is((spec.run_row()).error_step_slug, 'after_one', 'the first condition is named');
select is((spec.task('two')).status, 'cancelled', 'the second task is cancelled');
select is((spec.run_row(2)).error_step_slug, 'after_two', 'the other run was ended by its second step');
select is(spec.messages('orders'), 0::bigint, 'no message is left');
select is_empty('select * from pgflow.check_invariants(true)', 'and all is consistent');

select * from finish();
rollback;
