-- pgflow_worker deploys, claims and records, all through functions.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select is(spec.outcome_as('pgflow_worker', $$ select pgflow.deploy_flows('00000000-0000-4000-9000-000000000001', 'spec', 'greet',
  '{"flows": [{"slug": "greet", "alias": "greet", "retained": false, "routing": {"a": "greet"}, "shape": {"options": {}, "steps": [{"slug": "a", "stepType": "single", "dependencies": [], "whenUnmet": "skip",
    "whenExhausted": "fail", "requiredInputPattern": {"defined": false}, "forbiddenInputPattern": {"defined": false}, "options": {}}]}}]}', 2) $$), 'fine', 'it deploys');
select is(spec.outcome_as('pgflow_worker', $$ select pgflow.claim_tasks('00000000-0000-4000-9000-000000000001', 2, 'greet', 1) $$), 'fine', 'it claims');
select is((spec.task('a')).status, 'started', 'the task');
select is(spec.outcome_as('pgflow_worker', format($$ select pgflow.lock_runs('{00000000-0000-4000-8000-000000000001}', 'greet');
  select pgflow.complete_tasks('{00000000-0000-4000-8000-000000000001}', '{a}', '{0}', '{%s}', array['1']::jsonb[]);
  select pgflow.fail_tasks('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}'); select pgflow.release_tasks('{}', '{}', '{}', '{}') $$, spec.claim_no('a'))), 'fine', 'it records');
select is((spec.run_row()).status, 'completed', 'the run');
select is(spec.outcome_as('pgflow_worker', $$ select pgflow.worker_heartbeat('00000000-0000-4000-9000-000000000001', '{}', '{}', '{}', '{}');
  select pgflow.run_input('00000000-0000-4000-8000-000000000001'); select pgflow.mark_worker_stopped('00000000-0000-4000-9000-000000000001') $$), 'fine', 'it lives and ends');
select is(spec.outcome_as('pgflow_worker', $$ select pgflow.complete_task('00000000-0000-4000-8000-000000000001', 'a', 0, '1') $$), '42501', 'the unfenced callbacks are not its own');
select is(spec.outcome_as('pgflow_worker', $$ update pgflow.step_tasks set status = 'queued' $$), '42501', 'nor are the tables');
select is(spec.outcome_as('pgflow_worker', $$ select pgflow.create_flow('other') $$), '42501', 'nor the definitions');

select * from finish();
rollback;
