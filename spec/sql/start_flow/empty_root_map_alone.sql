-- A flow that is only a map over [] completes in the call that starts it.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.map('price'));
select is((select (r.status, r.output, r.remaining_steps)::text from pgflow.start_flow('prices', '[]', spec.run()) r), '(completed,"{""price"": []}",0)', 'the row that comes back');
select is(spec.messages('prices'), 0::bigint, 'no message was sent');

select * from finish();
rollback;
