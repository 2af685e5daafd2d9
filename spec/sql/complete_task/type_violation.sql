-- The type rule holds for the old callback.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.step('list'), spec.map('price', 'list'));
select spec.start('prices');
select spec.claim_all('prices');
select is((select (t.status, t.error_message)::text from pgflow.complete_task(spec.run(), 'list', 0, '7') t), '(failed,"[TYPE_VIOLATION] Produced number instead of array")', 'the row');
select is((spec.run_row()).status, 'failed', 'the run');

select * from finish();
rollback;
