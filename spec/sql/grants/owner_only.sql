-- What changes definitions or deletes flows with their runs is the owner's alone, but for what pgflow's own worker does, and so are the private functions and everything that could plant code.
begin;
\ir ../support/fixtures.sql
select plan(4);

select is_empty(
  $$ select r.rolname, p.proname from pg_roles r, pg_proc p where r.rolname like 'pgflow\_%' and p.pronamespace = 'pgflow'::regnamespace
    and (p.proname in ('create_flow', 'add_step', 'ensure_flow_compiled', 'delete_flow_and_data',
      'set_vt_batch', 'poll_for_tasks', 'cascade_resolve_conditions', 'cascade_complete_taskless_steps', 'start_ready_steps') or p.proname like '\_%')
    and not (r.rolname = 'pgflow_compat' and p.proname in ('ensure_flow_compiled', 'set_vt_batch'))
    and has_function_privilege(r.oid, p.oid, 'execute') $$,
  'no group role has them, or any private function'
);
select is_empty(
  $$ select r.rolname, c.relname from pg_roles r, pg_class c where r.rolname like 'pgflow\_%' and c.relnamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace) and c.relkind in ('r', 'v', 'p')
    and not (r.rolname = 'pgflow_compat' and c.relname like 'q\_%' and not has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate, references, trigger'))
    and (has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate, references, trigger') or (c.relnamespace = 'pgmq'::regnamespace and has_table_privilege(r.oid, c.oid, 'select'))) $$,
  'no group role writes a table, or reads a queue but for the worker of pgflow, which polls'
);

select is_empty(
  $$ select r.rolname, n.nspname from pg_roles r, pg_namespace n where (r.rolname like 'pgflow\_%') and n.nspname in ('pgflow', 'pgmq') and has_schema_privilege(r.oid, n.oid, 'create') $$,
  'no group role makes anything in the schemas'
);

select is_empty(
  $$ select a.attrelid::regclass, a.attname from pg_attribute a, pg_class c, aclexplode(a.attacl) x
    where c.oid = a.attrelid and c.relnamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace) and x.privilege_type <> 'SELECT'
      and not (x.grantee = 'pgflow_compat'::regrole and (c.relname = 'workers' or a.attname in ('vt', 'read_ct', 'last_read_at'))) $$,
  'no single column either, but for the rows of its workers and what polling changes'
);

select * from finish();
rollback;
