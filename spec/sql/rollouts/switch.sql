-- Worker functions are switched by name, all or none.
begin;
\ir ../support/fixtures.sql
select plan(5);

select pgflow.track_worker_function(n) from unnest(array['a', 'b']) n;
select results_eq($$ select * from pgflow.disable_worker_functions('{b,a,a}') $$, $$ values ('a', false, true), ('b', false, true) $$, 'both are disabled');
select results_eq($$ select * from pgflow.enable_worker_functions('{b}') $$, $$ values ('b', true, false) $$, 'one is enabled');
select results_eq($$ select * from pgflow.enable_worker_functions('{b}') $$, $$ values ('b', true, true) $$, 'again: nothing changes');
select throws_ok($$ select pgflow.enable_worker_functions('{a,c}') $$, '42704', 'there is no worker function c', 'an unknown one is refused');
select is((select enabled from pgflow.worker_functions where function_name = 'a'), false, 'with all that came with it');

select * from finish();
rollback;
