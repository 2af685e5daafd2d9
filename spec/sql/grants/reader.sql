-- pgflow_reader reads every table but the one with the key of transactions' secrets, and calls nothing that writes.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'));
select is_empty($$ select c.relname from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v') and c.relname <> 'transaction_keys' and not has_table_privilege('pgflow_reader', c.oid, 'select') $$, 'every table and view');
select is_empty($$ select r.rolname from pg_roles r where r.rolname like 'pgflow\_%' and has_any_column_privilege(r.oid, 'pgflow.transaction_keys', 'select, insert, update, references') $$, 'but nobody the key');
select is(spec.outcome_as('pgflow_reader', $$ select pgflow.start_flow('greet', '{}') $$), '42501', 'no start');
select is(spec.outcome_as('pgflow_reader', $$ delete from pgflow.runs $$), '42501', 'no write');

select is(spec.outcome_as('pgflow_reader', $$ select * from pgflow.run_status; select * from pgflow.queue_status; select * from pgflow.flow_versions;
  select pgflow.check_invariants(true), pgflow.is_local(), pgflow.get_run_with_states('00000000-0000-4000-8000-000000000001') $$), 'fine', 'the views and checks work for it');
select is(spec.outcome_as('pgflow_reader', $$ select pgflow.prune_data_older_than('0 s') $$), '42501', 'no pruning');

select * from finish();
rollback;
