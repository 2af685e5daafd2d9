-- What changes definitions or deletes flows with their runs is the owner's alone, and so are the private functions and everything that could plant code.
begin;
\ir ../support/fixtures.sql
select plan(3);

select is_empty(
  $$ select r.rolname, p.proname from pg_roles r, pg_proc p where r.rolname like 'pgflow\_%' and p.pronamespace = 'pgflow'::regnamespace
    and (p.proname in ('create_flow', 'add_step', 'ensure_flow_compiled', 'delete_flow_and_data',
      'set_vt_batch', 'poll_for_tasks', 'cascade_resolve_conditions', 'cascade_complete_taskless_steps', 'start_ready_steps') or p.proname like '\_%')
    and has_function_privilege(r.oid, p.oid, 'execute') $$,
  'no group role has them, or any private function'
);
select is_empty(
  $$ select r.rolname, c.relname from pg_roles r, pg_class c where r.rolname like 'pgflow\_%' and c.relnamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace) and c.relkind in ('r', 'v', 'p')
    and (has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate, references, trigger') or (c.relnamespace = 'pgmq'::regnamespace and has_table_privilege(r.oid, c.oid, 'select'))) $$,
  'no group role writes a table, or reads a queue'
);

select is_empty(
  $$ select r.rolname, n.nspname from pg_roles r, pg_namespace n where (r.rolname like 'pgflow\_%') and n.nspname in ('pgflow', 'pgmq') and has_schema_privilege(r.oid, n.oid, 'create') $$,
  'no group role makes anything in the schemas'
);

select * from finish();
rollback;
