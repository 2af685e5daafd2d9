-- A repeated call returns the flow as it is; new options are ignored.
begin;
\ir ../support/fixtures.sql
select plan(2);

select pgflow.create_flow('greet', 7, 8, 9);
select is((select (f.opt_max_attempts, f.opt_base_delay, f.opt_timeout)::text from pgflow.create_flow('greet', 1, 1, 1) f), '(7,8,9)', 'the stored options come back');
select is((select count(*) from pgflow.flows), 1::bigint, 'there is one flow');

select * from finish();
rollback;
