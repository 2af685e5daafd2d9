-- pgflow_operator reads everything but the key of transactions' secrets, and ends, retries, prunes, switches, rolls out, retires and adopts; it neither starts nor works nor defines.
begin;
\ir ../support/fixtures.sql
select plan(13);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select is_empty($$ select c.relname from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v') and c.relname <> 'transaction_keys' and not has_table_privilege('pgflow_operator', c.oid, 'select') $$, 'every table and view');
select is_empty($$ select p.oid::regprocedure from pg_proc p where p.pronamespace = 'pgflow'::regnamespace
  and has_function_privilege('pgflow_reader', p.oid, 'execute') and not has_function_privilege('pgflow_operator', p.oid, 'execute') $$, 'all that a reader may call');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.cancel_run('00000000-0000-4000-8000-000000000001', 'twice'); select pgflow.retry_run('00000000-0000-4000-8000-000000000001') $$), 'fine', 'it cancels and retries');
select is((spec.run_row()).status, 'cancelled', 'a run');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.disable_worker_functions('{spec}'); select pgflow.enable_worker_functions('{spec}');
  select pgflow.begin_rollout('{spec}'); select pgflow.finish_rollout(true) $$), 'fine', 'it switches and rolls out');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.retire_alias('greet') $$), 'fine', 'it retires');
select pgmq.create('mail');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.adopt_queue('mail') $$), 'fine', 'it adopts');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.prune_data_older_than('0 s') $$), 'fine', 'it prunes');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.start_flow('greet', '{}') $$), '42501', 'it does not start');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.claim_tasks('00000000-0000-4000-9000-000000000001', 1, 'greet', 1) $$), '42501', 'nor claim');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.create_flow('other') $$), '42501', 'nor define');
select is(spec.outcome_as('pgflow_operator', $$ select pgflow.delete_flow_and_data('greet') $$), '42501', 'nor delete a flow with its runs');
select is(spec.outcome_as('pgflow_operator', $$ delete from pgflow.runs $$), '42501', 'nor write a table');

select * from finish();
rollback;
