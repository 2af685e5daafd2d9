-- The same task twice in one call counts once; the first one's output stands.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('prices', spec.map('price'));
select spec.start('prices', '[1, 2]');
select spec.claim_all('prices');
select is(spec.complete_batch('{1,1}', '{price,price}', '{0,0}', array['"first"', '"second"']::jsonb[]), '{done,already}', 'the answers');
select is((select (s.status, s.remaining_tasks)::text from spec.state('price') s), '(started,1)', 'it was counted once');
select is((spec.task('price')).output, '"first"'::jsonb, 'the first output');

select * from finish();
rollback;
