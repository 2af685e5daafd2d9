-- A claim gives out each queued task once, with its claim number, attempt, limits and input.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_options => '{"timeout": 7, "maxAttempts": 9}'), spec.step('b')], '{"timeout": 33, "maxAttempts": 4}')]);
select spec.start('greet', '{"name": "Ada"}');
create temp table claimed as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100);
select results_eq(
  $$ select flow_slug, run_id, step_slug, task_index, spec.nth_claim(claim_no), attempt, max_attempts, timeout_s, input::jsonb, is_root from claimed where kind = 'task' $$,
  $$ values ('greet', spec.run(), 'a', 0, 1::bigint, 1, 9, 7, '{"name": "Ada"}'::jsonb, true),
    ('greet', spec.run(), 'b', 0, 1::bigint, 1, 4, 33, '{"name": "Ada"}'::jsonb, true) $$, 'the tasks'
);
select is((select msg_id from claimed where step_slug = 'b'), (spec.task('b')).message_id, 'with their message ids');
select results_eq($$ select kind, status, more from claimed where kind <> 'task' $$, $$ values ('answer', 'ok', false) $$, 'and one answer');
select is((select (t.status, t.attempts_count, spec.nth_claim(t.claim_no), t.claimed_timeout, t.last_worker_id = spec.worker(), t.started_at is not null)::text from spec.task('a') t), '(started,1,1,7,t,t)', 'the task''s row');
select is_empty('select spec.claim(''greet'')', 'a second claim finds nothing');

select * from finish();
rollback;
