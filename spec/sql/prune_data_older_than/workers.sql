-- Rows of workers go that stopped or died before the cutoff, unless a started task is theirs.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])], p_worker => n) from generate_series(1, 5) n;
select spec.start('greet');
select spec.claim('greet', p_worker => 1);
-- 1 holds a task; 2 died; 3 stopped; 4 stopped after the cutoff; 5 lives.
update pgflow.workers set last_heartbeat_at = now() - interval '9 days' where worker_id = any (array[spec.worker(1), spec.worker(2), spec.worker(3)]);
update pgflow.workers set stopped_at = now() where worker_id = any (array[spec.worker(3), spec.worker(4)]);
select is(pgflow.prune_data_older_than('1 day'), 0::bigint, 'no run goes');
select set_eq('select worker_id from pgflow.workers', array[spec.worker(1), spec.worker(4), spec.worker(5)], 'two workers do');
select set_eq('select worker_id from pgflow.worker_handlers', array[spec.worker(1), spec.worker(4), spec.worker(5)], 'with their handlers');
update pgflow.workers set last_heartbeat_at = now() - interval '1 s' where worker_id = spec.worker(4);
select pgflow.prune_data_older_than('0 s');
select set_eq('select worker_id from pgflow.workers', array[spec.worker(1), spec.worker(5)], 'a retention of nothing spares the living');

select * from finish();
rollback;
