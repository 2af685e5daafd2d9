-- A stale claim and the current one of the same task in one call, in both orders.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.map('price'));
select spec.start('prices', '[1, 2]');
select spec.claim_all('prices');
select spec.release('price', n) from generate_series(0, 1) n;
select spec.claim_all('prices');
select is(
  (select array_agg(answer order by ordinal) from pgflow.complete_tasks(array_fill(spec.run(), array[4]), '{price,price,price,price}', '{0,0,1,1}',
    array[spec.claim_no('price', 0, 1, 1), spec.claim_no('price', 0, 1, 2), spec.claim_no('price', 1, 1, 2), spec.claim_no('price', 1, 1, 1)], array['"old"', '"new"', '"new"', '"old"']::jsonb[])),
  '{stale,done,done,stale}', 'the answers'
);
select is((spec.run_row()).output, '{"price": ["new", "new"]}'::jsonb, 'the current claims'' outputs');

select * from finish();
rollback;
