-- The state of each worker by its heartbeat, its stop and its deprecation; old ones only where all are wanted.
begin;
\ir ../support/fixtures.sql
select plan(7);

create function spec.states(p_all boolean) returns text language sql as $$
  select coalesce(string_agg(format('%s:%s:%s', w.n, s.state, s.tasks_in_flight), ' ' order by w.n), '')
  from pgflow.worker_status(p_all) s join generate_series(1, 4) w (n) on spec.worker(w.n) = s.worker_id;
$$;
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], p_worker => n) from generate_series(1, 4) n;
select spec.start('one');
select spec.claim('one', 1, 2);
select is(spec.states(false), '1:running:0 2:running:1 3:running:0 4:running:0', 'all live');
update pgflow.workers set deprecated_at = clock_timestamp() where worker_id = spec.worker(2);
select is(spec.states(false), '1:running:0 2:draining:1 3:running:0 4:running:0', 'a deprecated one drains');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds' where worker_id in (spec.worker(2), spec.worker(3));
select is(spec.states(false), '1:running:0 2:dead:1 3:dead:0 4:running:0', 'silent for more than 30 s: dead, with what it holds');
update pgflow.workers set last_heartbeat_at = clock_timestamp() + interval '31 seconds' where worker_id = spec.worker(3);
select is(spec.states(false), '1:running:0 2:dead:1 3:dead:0 4:running:0', 'so is one whose heartbeat lies in the future');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '25 hours' where worker_id = spec.worker(2);
select is(spec.states(false), '1:running:0 3:dead:0 4:running:0', 'silent for more than a day: left out');
select pgflow.mark_worker_stopped(spec.worker(4));
select is(spec.states(false), '1:running:0 3:dead:0', 'so are stopped ones');
select is(spec.states(true), '1:running:0 2:dead:1 3:dead:0 4:stopped:0', 'unless all are wanted');

select * from finish();
rollback;
