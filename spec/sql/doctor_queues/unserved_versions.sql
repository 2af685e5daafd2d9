-- A queue of an active version without a live worker is a problem, with work waiting or not; during a rollout a warning. A worker that lacks a step of its queue is named.
begin;
\ir ../support/fixtures.sql
select plan(6);

create function spec.found() returns text language sql as $$
  select string_agg(format('%s: %s', d.level, d.message), E'\n' order by d.message) from pgflow.doctor_queues() d;
$$;
select spec.deploy('greet', spec.step('a'));
select is(spec.found(), 'ok: 1 queue, 0 messages', 'served');
select pgflow.mark_worker_stopped(spec.worker());
select is(spec.found(), 'problem: queue greet has no live worker; active on it: greet', 'its last worker has stopped');
select pgflow.begin_rollout('{spec}');
select spec.deploy_registry(array[spec.flow('greet', array[spec.map('a')])], p_worker => 2);
select matches(spec.found(), '^warning: queue greet has no live worker; active on it: greet; workers that wait behind the fence: 1; they would be refused: greet: shape_mismatch', 'a rollout');
select pgflow.finish_rollout();
select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])], p_worker => 3);
select is(spec.found(), 'ok: 1 queue, 0 messages', 'served again');

-- Another team's flow.
select spec.deploy_registry(array[spec.flow('theirs', array[spec.step('b')], p_routing => '{"b": "greet"}')], 'theirs', 4, p_function => 'team');
select matches(spec.found(), 'problem: worker ' || spec.worker(3) || ' of queue greet \(function spec\) does not handle theirs.b', 'the worker that lacks its step');
select pgflow.retire_alias(a) from unnest(array['greet', 'theirs']) a;
select pgflow.mark_worker_stopped(spec.worker(n)) from generate_series(3, 4) n;
select is(spec.found(), 'ok: 1 queue, 0 messages', 'no active version needs it');

select * from finish();
rollback;
