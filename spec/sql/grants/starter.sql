-- pgflow_starter starts runs and reads how they stand; it can neither claim nor write, nor read what is not its business.
begin;
\ir ../support/fixtures.sql
select plan(12);

select spec.deploy('greet', spec.step('a'));
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.start_flow('greet', '{}', '00000000-0000-4000-8000-000000000001') $$), 'fine', 'it starts');
select is((spec.run_row()).status, 'started', 'a run');
select is(spec.outcome_as('pgflow_starter', $$ select status from pgflow.runs; select 1 from pgflow.step_states $$), 'fine', 'it reads status');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.claim_tasks('00000000-0000-4000-9000-000000000001', 1, 'greet', 1) $$), '42501', 'it does not claim');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.complete_task('00000000-0000-4000-8000-000000000001', 'a', 0, '1') $$), '42501', 'nor complete');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.create_flow('other') $$), '42501', 'nor define');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow._start_steps('{}', '{}') $$), '42501', 'nor call a private function');
select is(spec.outcome_as('pgflow_starter', $$ update pgflow.runs set status = 'failed' $$), '42501', 'nor write');
select is(spec.outcome_as('pgflow_starter', $$ select 1 from pgmq.q_greet $$), '42501', 'nor touch the queue');

select is(spec.outcome_as('pgflow_starter', $$ select pgflow.start_flow_with_states('greet', '{}'); select pgflow.get_run_with_states('00000000-0000-4000-8000-000000000001'); select * from pgflow.run_status $$), 'fine', 'it watches');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.cancel_run('00000000-0000-4000-8000-000000000001'); select pgflow.retry_run('00000000-0000-4000-8000-000000000001') $$), 'fine', 'it cancels and retries');
select is(spec.outcome_as('pgflow_starter', $$ select * from pgflow.queue_status $$), '42501', 'queues are not its business');

select * from finish();
rollback;
