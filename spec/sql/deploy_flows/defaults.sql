-- Without options a flow has 3 attempts, 5 s and 60 s.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select is((select (f.opt_max_attempts, f.opt_base_delay, f.opt_timeout)::text from pgflow.flows f), '(3,5,60)', 'the defaults of the documents');

select * from finish();
rollback;
