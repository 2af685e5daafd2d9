-- A batch whose failure skips a step, whereby an unmet condition fails the run, equals the serial order: what comes behind it in the run is stale.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('orders',
  spec.step('one', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'), spec.step('two'),
  spec.step('after_one', array['one'], p_only_if => '{"one": 1}', p_when_unmet => 'fail'));
select spec.start('orders');
select spec.claim_all('orders');

select is(spec.fail_batch('{1,1}', '{two,one}', '{0,0}', '{boom,boom}'), '{stale,done}', 'the later entry is stale');
select is((spec.run_row()).error_step_slug, 'after_one', 'the condition ended the run');
select is((spec.task('two')).status, 'cancelled', 'the other task is cancelled');
select is_empty('select * from pgflow.check_invariants(true)', 'and all is consistent');

select * from finish();
rollback;
