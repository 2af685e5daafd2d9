-- A worker function is forgotten once no worker of it lives and no open rollout holds it.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], 'one', 1, p_function => 'first');
select throws_ok($$ select pgflow.forget_worker_function('nobody') $$, '42704', 'there is no worker function nobody', 'an unknown one');
select throws_ok($$ select pgflow.forget_worker_function(null) $$, '42704', 'there is no worker function NULL', 'none');
select throws_ok($$ select pgflow.forget_worker_function('first') $$, '55000', 'worker function first still has live workers: 1', 'one with a live worker');

select pgflow.begin_rollout('{first}');
select pgflow.mark_worker_stopped(spec.worker());
select throws_ok($$ select pgflow.forget_worker_function('first') $$, '55000', 'worker function first is part of the open rollout', 'one in a rollout');
select pgflow.finish_rollout();
select lives_ok($$ select pgflow.forget_worker_function('first') $$, 'after that it is forgotten');
select is_empty('select function_name from pgflow.worker_functions union all select function_name from pgflow.rollout_functions', 'with its part in the record');
select throws_ok($$ select pgflow.forget_worker_function('first') $$, '42704', 'there is no worker function first', 'a second time');
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], 'one', 2, p_function => 'first')), 'verified', 'a later worker records it anew');

select * from finish();
rollback;
