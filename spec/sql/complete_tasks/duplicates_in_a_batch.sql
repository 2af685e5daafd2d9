-- A second callback of a claim in one batch is answered as if it came alone behind the first.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('orders', spec.step('one', p_options => '{"maxAttempts": 1}'), spec.step('two'), spec.map('each', 'one'));
select spec.start('orders', p_run => n) from generate_series(1, 5) n;
select spec.claim_all('orders');

select is(spec.complete_batch('{1,1}', '{two,two}', '{0,0}', '{1,2}'), '{done,already}', 'the first is recorded');
select is(spec.complete_batch('{2,2,2,2}', '{one,two,two,one}', '{0,0,0,0}', '{1,1,1,1}'), '{done,stale,stale,already}', 'behind a violation both are stale');
select is(spec.fail_batch('{3,3,3}', '{two,two,one}', '{0,0,0}', '{a,b,c}', p_permanent => '{false,false,true}'), '{stale,stale,done}', 'behind a failure of the run too');
select is(spec.fail_batch('{4,4}', '{two,two}', '{0,0}', '{a,b}', p_free => '{true,true}'), '{done,already}', 'a snooze is recorded once');
select is(
  (select array_agg(a.answer order by a.ordinal) from pgflow.release_tasks(array[spec.run(5), spec.run(5)], '{two,two}', '{0,0}', array_fill(spec.claim_no('two', 0, 5), array[2])) a),
  '{done,stale}', 'a release leaves nothing to release'
);

select * from finish();
rollback;
