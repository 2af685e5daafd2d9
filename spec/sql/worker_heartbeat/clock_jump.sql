-- A heartbeat finds that the clock has jumped, in either direction, by the time that has passed on the worker's own; silence alone is no jump.
begin;
\ir ../support/fixtures.sql
select plan(13);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])], p_worker => n) from generate_series(1, 2) n;
update pgflow.workers set last_heartbeat_at = clock_timestamp(), unbroken_since = clock_timestamp() - interval '1 hour';
select is(spec.beat(null), null, 'the first heartbeat cannot tell');
select is(spec.beat(0), null, 'the clock is steady');
select spec.jump('1 hour', 'greet');
select is(round(spec.beat(2000) / 10.0), 360::numeric, 'an hour forwards');
select ok((select clock_jumped_at > now() and clock_jumped_by between '3590 seconds' and '1 hour' and unbroken_since > now() from pgflow.workers where worker_id = spec.worker()), 'it is stored, and nothing is unbroken');
select is(round(spec.beat(2000, 2) / 10.0), 360::numeric, 'each worker finds it');
select is(spec.beat(0), null, 'once');

select spec.jump('-1 hour', 'greet');
select is(round(spec.beat(null, 2) / 10.0), -360::numeric, 'the first heartbeat after a deployment can tell this');
select is(round(spec.beat(2000) / 10.0), -360::numeric, 'an hour backwards');
select ok((select last_heartbeat_at <= clock_timestamp() and unbroken_since <= clock_timestamp() from pgflow.workers where worker_id = spec.worker()), 'nothing of it lies in the future');

update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '1 hour', unbroken_since = clock_timestamp() - interval '2 hours';
select is(spec.beat(3600000), null, 'an hour without a connection');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '1 hour', unbroken_since = clock_timestamp() - interval '2 hours' where worker_id = spec.worker();
update pgflow.workers set last_heartbeat_at = clock_timestamp(), unbroken_since = clock_timestamp() - interval '2 hours' where worker_id = spec.worker(2);
select is(spec.beat(2000), null, 'an hour in which this worker''s host slept, and another lived');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '19 seconds';
select is(spec.beat(2000), null, 'a heartbeat that was 17 s under way');
select is(spec.beat(2000, 9), null, 'an unknown worker');

select * from finish();
rollback;
