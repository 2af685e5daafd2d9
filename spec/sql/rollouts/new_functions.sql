-- A rollout may name functions that do not exist yet: their workers wait, and nothing is activated before it is finished.
begin;
\ir ../support/fixtures.sql
select plan(12);

select spec.deploy_registry(array[spec.flow('old', array[spec.step('a')])], 'old', 1, p_function => 'first');
select throws_ok($$ select pgflow.begin_rollout('{first}', array['second', null]) $$, '22023', 'the name of a new worker function is empty', 'null is no name');
select throws_ok($$ select pgflow.begin_rollout('{first,nobody}', '{second}') $$, '42704', 'there is no worker function nobody', 'an unknown one that is not new is refused');
select is((select array_agg(function_name) from pgflow.worker_functions), '{first}', 'and the new one is not recorded');

select pgflow.mark_worker_stopped(spec.worker());
select results_eq($$ select * from pgflow.begin_rollout('{first}', '{second}') $$, $$ values ('first', true, 0), ('second', true, 0) $$, 'the new one is recorded as enabled before');
select is((select array_agg(distinct status) from spec.deploy_registry(array[spec.flow('old', array[spec.step('a')]), spec.flow('new', array[spec.step('a')])], 'new', 2, p_function => 'second')),
  '{fenced}', 'its first worker waits');
select is((select count(*) from pgflow.flows where flow_slug = 'new'), 0::bigint, 'and nothing of it is stored');
select throws_ok($$ select pgflow.begin_rollout('{first}') $$, '55000', 'a rollout of first, second is open', 'without the new one it is another rollout');
select results_eq($$ select * from pgflow.begin_rollout('{first}', '{second}') $$, $$ values ('first', true, 0), ('second', true, 0) $$, 'begun again it goes on');
select results_eq($$ select * from pgflow.begin_rollout('{second,first}') $$, $$ values ('first', true, 0), ('second', true, 0) $$, 'also where the new one is taken as known');
select results_eq('select * from pgflow.finish_rollout()', $$ values ('first', true), ('second', true) $$, 'both are enabled in the end');

select pgflow.disable_worker_functions('{second}');
select results_eq($$ select * from pgflow.begin_rollout('{}', '{second}') $$, $$ values ('second', false, 0) $$, 'a known one keeps its own switch');
select results_eq('select * from pgflow.finish_rollout()', $$ values ('second', false) $$, 'and has it back');

select * from finish();
rollback;
