-- A dead worker keeps what it reported last; only that its heartbeats fail is still said.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.troubles() returns text language sql as $$
  select string_agg(t.value ->> 'trouble', ' ' order by t.value ->> 'trouble')
  from pgflow.worker_status(true) s cross join jsonb_array_elements(s.troubles) t
  where s.worker_id = spec.worker();
$$;
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])]);
insert into pgflow.worker_troubles (worker_id, trouble, error) values (spec.worker(), 'claim', 'oh'), (spec.worker(), 'heartbeat', 'oh');
select is(spec.troubles(), 'claim heartbeat', 'of a live worker: both');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds' where worker_id = spec.worker();
select is(spec.troubles(), 'heartbeat', 'of a dead one: that its heartbeats fail');
update pgflow.workers set last_heartbeat_at = clock_timestamp() where worker_id = spec.worker();
select is(spec.troubles(), 'claim heartbeat', 'heard of again: both');
select pgflow.mark_worker_stopped(spec.worker());
select isnt(spec.troubles(), 'claim heartbeat', 'stopped: not what it said before');

select * from finish();
rollback;
