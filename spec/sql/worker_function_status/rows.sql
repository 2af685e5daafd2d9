-- Each worker function with its live workers and queues, and what a rollout does to it.
begin;
\ir ../support/fixtures.sql
select plan(3);

create function spec.functions() returns text language sql as $$
  select string_agg(format('%s:%s:%s:%s:%s:%s', f.function_name, f.enabled, f.live_workers, f.queue_names, f.in_rollout, f.enabled_before_rollout), ' ')
  from pgflow.worker_function_status() f;
$$;
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], p_worker => n) from generate_series(1, 2) n;
select pgflow.track_worker_function('idle');
select is(spec.functions(), 'idle:t:0:{}:f: ' || (select min(function_name) from pgflow.workers) || ':t:2:{one}:f:', 'live workers and queues');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '1 hour' where worker_id = spec.worker(2);
select matches(spec.functions(), ':t:1:{one}:f:$', 'dead ones do not count');
select from pgflow.begin_rollout('{idle}', '{}');
select matches(spec.functions(), '^idle:f:0:{}:t:t ', 'an open rollout holds it');

select * from finish();
rollback;
