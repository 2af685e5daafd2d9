-- Without a run_id every run gets its own.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select isnt((select run_id from pgflow.start_flow('greet', '{}')), (select run_id from pgflow.start_flow('greet', '{}')), 'two different ids');

select * from finish();
rollback;
