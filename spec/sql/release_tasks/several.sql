-- Several in one call: each is answered in its place.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.map('price'));
select spec.start('prices', '[1, 2, 3]');
select spec.claim_all('prices');
select is(
  (select array_agg(answer order by ordinal) from pgflow.release_tasks(array_fill(spec.run(), array[4]), array_fill('price'::text, array[4]), '{2,0,0,1}',
    array[spec.claim_no('price', 2), spec.claim_no('price', 0), spec.claim_no('price', 0), spec.claim_no('price', 1, 1, 7)])),
  '{done,done,stale,stale}', 'the answers'
);
select is(spec.tasks('price'), '{queued,started,queued}', 'the tasks');
select is((spec.task('price', 0)).attempts_count, 0, 'an attempt is given back once');
select results_eq('select spec.claim(''prices'')', array['price:0', 'price:2'], 'both can be claimed');

select * from finish();
rollback;
