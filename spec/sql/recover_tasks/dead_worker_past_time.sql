-- The worker that died while nobody could recover its task is the reason even past the task's time: ten deaths are retried, and the last error says how often it died.
begin;
\ir ../support/fixtures.sql
select plan(8);

create function spec.die(p_times int) returns setof text language plpgsql as $$
begin
  for i in 1..p_times loop
    perform spec.claim('greet', p_worker => 2);
    perform spec.age_claim('a', interval '10 minutes');
    return query select t.reason || ' ' || t.outcome from pgflow.recover_tasks(spec.worker()) t;
  end loop;
end;
$$;
select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_options => '{"maxAttempts": 1}')])], p_worker => 2);
select spec.start('greet');
select spec.claim('greet', p_worker => 2);
select spec.age_claim('a', interval '10 minutes');
update pgflow.workers set last_heartbeat_at = now() - interval '31 seconds' where worker_id = spec.worker(2);
select pgflow.requeue_stalled_tasks();
select is((select (t.requeued_count, t.requeued_dead_count)::text from spec.task('a') t), '(1,0)', 'the timeout rule alone counts a timeout');
update pgflow.workers set last_heartbeat_at = now() where worker_id = spec.worker(2);
update pgflow.step_tasks set requeued_count = 0;

select spec.claim('greet', p_worker => 2);
update pgflow.workers set last_heartbeat_at = now() - interval '31 seconds' where worker_id = spec.worker(2);
select spec.age_claim('a', interval '10 minutes');
select results_eq($$ select reason, outcome from pgflow.recover_tasks(spec.worker()) $$, $$ values ('dead_worker', 'requeued') $$, 'a death, not a timeout');
select is((select (t.status, t.attempts_count, t.requeued_count, t.requeued_dead_count)::text from spec.task('a') t), '(queued,2,0,1)', 'its attempt stays counted');
select is((select array_agg(distinct d) from spec.die(9) d), '{dead_worker requeued}', 'nine more');
select is((select (t.status, t.attempts_count, t.requeued_count, t.requeued_dead_count)::text from spec.task('a') t), '(queued,11,0,10)', 'counted');
select is((select array_agg(d) from spec.die(1) d), '{dead_worker failed}', 'the eleventh is the last');
select is((spec.run_row()).error_message, 'permanently stalled: deaths of its worker: 11 (limit 10)', 'the error');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
