-- The compatible definition functions are the owner's alone.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is_empty(
  $$ select r.rolname, p.proname from pg_roles r, pg_proc p where r.rolname like 'pgflow\_%' and p.pronamespace = 'pgflow'::regnamespace
    and (p.proname in ('create_flow', 'add_step') or p.proname like '\_%') and has_function_privilege(r.oid, p.oid, 'execute') $$,
  'no group role has them, or any private function'
);

select * from finish();
rollback;
