-- A key lives as long as its run: a finished one is returned, too.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('prices', spec.map('price'));
create temp table first as select * from pgflow.start_flow('prices', '[]', idempotency_key => 'k');
select is((select (r.run_id = f.run_id, r.status, r.output)::text from pgflow.start_flow('prices', '[]', idempotency_key => 'k') r, first f), '(t,completed,"{""price"": []}")', 'as it ended');

select * from finish();
rollback;
