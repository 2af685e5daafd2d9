-- A flow without steps completes at once, without an output.
begin;
\ir ../support/fixtures.sql
select plan(1);

select pgflow.create_flow('nothing');
select is((select (r.status, r.output, r.remaining_steps, r.completed_at is not null)::text from pgflow.start_flow('nothing', '{}') r), '(completed,,0,t)', 'completed');

select * from finish();
rollback;
