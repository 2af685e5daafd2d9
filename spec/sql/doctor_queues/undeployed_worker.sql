-- A worker that never deployed, as pgflow's own, says nothing about steps: no problem, and none uncovered. Those that deployed are judged as ever.
begin;
\ir ../support/fixtures.sql
select plan(8);

select pgflow.create_flow('greet');
select pgflow.add_step('greet', 'a');
select is((select uncovered_pairs from pgflow.queue_figures('greet')), '{greet.a}', 'without a worker');
insert into pgflow.workers (queue_name, worker_id, function_name) values ('greet', spec.worker(9), 'edge');
select is((select (uncovered_pairs, lacking_workers)::text from pgflow.queue_status), '({},[])', 'with one that never deployed');
select is_empty($$ select * from pgflow.doctor_queues() where level <> 'ok' $$, 'doctor has nothing to say');
select is_empty($$ select * from pgflow.lacking_workers('greet') $$, 'it lacks nothing');

select spec.deploy_registry(array[spec.flow('other', array[spec.step('x')], p_routing => '{"x": "other"}')], 'other', p_worker => 2);
insert into pgflow.workers (queue_name, worker_id, function_name, generation) values ('greet', spec.worker(3), 'deployed', 1);
select is((select uncovered_pairs from pgflow.queue_figures('greet')), '{greet.a}', 'one that deployed other flows beside it');
select is((select array_agg(worker_id) from pgflow.lacking_workers('greet')), array[spec.worker(3)], 'it alone lacks them');
insert into pgflow.worker_handlers values (spec.worker(3), 'greet', 'a');
select is((select uncovered_pairs from pgflow.queue_figures('greet')), '{}', 'one that handles it');
update pgflow.workers set last_heartbeat_at = now() - interval '1 hour' where queue_name = 'greet';
select is((select uncovered_pairs from pgflow.queue_figures('greet')), '{greet.a}', 'when all are dead');

select * from finish();
rollback;
