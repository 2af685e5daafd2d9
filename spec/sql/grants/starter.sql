-- pgflow_starter starts runs and reads how one stands whose id it has; it reads no table of runs, ends none, and neither claims nor defines.
begin;
\ir ../support/fixtures.sql
select plan(14);

select spec.deploy('greet', spec.step('a'));
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.start_flow('greet', '{"name": "Ada"}', '00000000-0000-4000-8000-000000000001') $$), 'fine', 'it starts');
select is((spec.run_row()).status, 'started', 'a run');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.start_flow_with_states('greet', '{}'); select pgflow.get_run_with_states('00000000-0000-4000-8000-000000000001') $$), 'fine', 'it starts and watches');
select is(spec.outcome_as('pgflow_starter', $$ select * from pgflow.run_summary('00000000-0000-4000-8000-000000000001'), pgflow.run_steps('00000000-0000-4000-8000-000000000001'),
  pgflow.run_attempts('00000000-0000-4000-8000-000000000001'), pgflow.run_details('00000000-0000-4000-8000-000000000001') $$), 'fine', 'a run whose id it has');
select is(spec.outcome_as('pgflow_starter', $$ select version from pgflow.migrations $$), 'fine', 'it sees which schema this is');

select is(spec.outcome_as('pgflow_starter', $$ select run_id from pgflow.runs $$), '42501', 'not what others started');
select is(spec.outcome_as('pgflow_starter', $$ select 1 from pgflow.step_tasks $$), '42501', 'nor their tasks');
select is(spec.outcome_as('pgflow_starter', $$ select * from pgflow.run_status $$), '42501', 'nor by a view');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.cancel_run('00000000-0000-4000-8000-000000000001') $$), '42501', 'it does not cancel');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.retry_run('00000000-0000-4000-8000-000000000001') $$), '42501', 'nor retry');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.claim_tasks('00000000-0000-4000-9000-000000000001', 1, 'greet', 1) $$), '42501', 'nor claim');
select is(spec.outcome_as('pgflow_starter', $$ select pgflow.create_flow('other') $$), '42501', 'nor define');
select is(spec.outcome_as('pgflow_starter', $$ update pgflow.runs set status = 'failed' $$), '42501', 'nor write');
select is(spec.outcome_as('pgflow_starter', $$ select 1 from pgmq.q_greet $$), '42501', 'nor touch the queue');

select * from finish();
rollback;
