-- The heartbeat tells cancelled tasks from lost ones.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('orders', spec.step('one'), spec.step('two'));
select spec.start('orders');
select spec.start('orders', p_run => 2);
select spec.claim_all('orders');
select from pgflow.cancel_run(spec.run());
select from pgflow.fail_tasks(array[spec.run(2)], '{one}', '{0}', array[spec.claim_no('one', 0, 2)], '{boom}', '{null}', '{true}', '{false}');

select results_eq(
  $$ select lost_ordinals, cancelled_ordinals from pgflow.worker_heartbeat(
    spec.worker(), array[spec.run(1), spec.run(1), spec.run(2), spec.run(1)], '{one,two,two,one}', '{0,0,0,0}',
    array[spec.claim_no('one'), spec.claim_no('two'), spec.claim_no('two', 0, 2), spec.claim_no('one', p_nth => 7)]) $$,
  $$ values ('{3,4}'::int[], '{1,2}'::int[]) $$, 'of a failed run, or under another claim, they are lost'
);
select results_eq(
  $$ select lost_ordinals, cancelled_ordinals from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}') $$,
  $$ values ('{}'::int[], '{}'::int[]) $$, 'nothing in flight, nothing said'
);

select * from finish();
rollback;
