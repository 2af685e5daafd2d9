-- Nobody is declared dead by a worker whose own heartbeats were broken within 30 s or are late, nor soon after the start of the server; a task past its time needs no judge, and its dead worker is the reason.
begin;
\ir ../support/fixtures.sql
select plan(6);

create or replace function pgflow._has_server_settled() returns boolean language sql as 'select current_setting(''spec.settled'')::boolean';
set local spec.settled = true;
select spec.deploy('greet', spec.step('a', p_options => '{"timeout": 100}'), spec.step('b'));
select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_options => '{"timeout": 100}'), spec.step('b')])], p_worker => 2);
select spec.start('greet');
select spec.claim('greet', p_worker => 2);
update pgflow.workers set stopped_at = now() where worker_id = spec.worker(2);

update pgflow.workers set unbroken_since = clock_timestamp() - interval '29 seconds' where worker_id = spec.worker();
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'unbroken for 29 s');
update pgflow.workers set unbroken_since = now() - interval '1 hour', last_heartbeat_at = clock_timestamp() - interval '7 seconds' where worker_id = spec.worker();
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'its last heartbeat is 7 s old');
update pgflow.workers set last_heartbeat_at = clock_timestamp() where worker_id = spec.worker();
set local spec.settled = false;
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'the server has just started');
select spec.age_claim('b', interval '91 seconds');
select results_eq($$ select step_slug, reason from pgflow.recover_tasks(spec.worker()) $$, $$ values ('b', 'dead_worker') $$, 'a task past its time is put back');
set local spec.settled = true;
select is_empty($$ select * from pgflow.recover_tasks(spec.worker(9)) $$, 'a worker without a row recovers nothing');
select results_eq($$ select step_slug, reason from pgflow.recover_tasks(spec.worker()) $$, $$ values ('a', 'dead_worker') $$, 'unbroken for long, and the server has settled');

select * from finish();
rollback;
