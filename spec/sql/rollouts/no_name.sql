-- A name that is null names no function, and a rollout that is finished with null is not forced.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select throws_ok($$ select pgflow.begin_rollout(array[null, 'spec']) $$, '42704', 'there is no worker function NULL', 'begin');
select throws_ok($$ select pgflow.disable_worker_functions(array[null::text]) $$, '42704', null, 'disable');
select pgflow.begin_rollout('{spec}');
select throws_ok($$ select pgflow.finish_rollout(null) $$, '55000', 'old workers are still alive: spec (1)', 'finish');
select isnt_empty('select * from pgflow.rollout_status()', 'it is still open');

select * from finish();
rollback;
