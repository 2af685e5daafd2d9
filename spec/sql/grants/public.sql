-- PUBLIC may execute nothing, read nothing and does not even see the schema.
begin;
\ir ../support/fixtures.sql
select plan(3);

select is_empty($$ select p.oid::regprocedure from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and has_function_privilege('public', p.oid, 'execute') $$, 'functions');
select is_empty(
  $$ select c.relname from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') and has_table_privilege('public', c.oid, 'select, insert, update, delete') $$, 'tables and views');
select ok(not has_schema_privilege('public', 'pgflow', 'usage') and not has_schema_privilege('public', 'pgflow', 'create'), 'the schema');

select * from finish();
rollback;
