-- The tasks in flight that are no longer the worker's own come back by their positions.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.map('price'), spec.step('released'), spec.step('taken'));
select spec.start('prices', '[1]', 1);
select spec.start('prices', '[1]', 2);
select spec.claim_all('prices');
select spec.fail('price', p_permanent => true, p_run => 2);
select spec.release('released');
update pgflow.step_tasks set last_worker_id = spec.worker(2), claim_no = claim_no + 1 where step_slug = 'taken';
select is(
  (select lost_ordinals from pgflow.worker_heartbeat(spec.worker(), array[spec.run(1), spec.run(2), spec.run(1), spec.run(1), spec.run(9)],
    '{price,taken,released,taken,price}', '{0,0,0,0,0}', array[spec.claim_no('price'), spec.claim_no('taken', 0, 2, 1), spec.claim_no('released'), spec.claim_no('taken', 0, 1, 1), 1])),
  '{2,3,4,5}', 'cancelled, released, taken by another claim, unknown'
);
select is((select lost_ordinals from pgflow.worker_heartbeat(spec.worker(), array[spec.run(1)], '{price}', '{0}', array[spec.claim_no('price')])), '{}', 'its own are not among them');

select * from finish();
rollback;
