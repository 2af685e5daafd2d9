-- The compatible claim: records in their old order of fields.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.map('each'), spec.step('root'));
select spec.start('greet', '["x"]');
create temp table given as
select (r).* from pgflow.start_tasks('greet', array[(spec.task('each')).message_id, (spec.task('root')).message_id], spec.worker()) r;
select results_eq('select flow_slug, run_id, step_slug, input, msg_id, task_index, flow_input from given order by step_slug',
  $$ values ('greet', spec.run(), 'each', '"x"'::jsonb, (spec.task('each')).message_id, 0, null::jsonb), ('greet', spec.run(), 'root', '{}', (spec.task('root')).message_id, 0, '["x"]') $$, 'the records');
select is((select (t.status, t.attempts_count, spec.nth_claim(t.claim_no), t.last_worker_id = spec.worker())::text from spec.task('root') t), '(started,1,1,t)', 'the task is claimed, and its claim number counts');

select * from finish();
rollback;
