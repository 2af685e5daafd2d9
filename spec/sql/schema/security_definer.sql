-- What a group role may call runs as its owner; private helpers run as whoever calls them, and so does what only reads or moves rows that the caller has the rights for: a table's relations, and set_vt_batch.
begin;
\ir ../support/fixtures.sql
select plan(2);

select is_empty(
  $$ select distinct p.proname from pg_proc p join pg_roles r on r.rolname like 'pgflow\_%' and has_function_privilege(r.oid, p.oid, 'execute')
    where p.pronamespace = 'pgflow'::regnamespace and not p.prosecdef
    and p.proname not in ('set_vt_batch', 'step_states', 'step_tasks', 'runs', 'steps') $$, 'public ones are security definer'
);
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and p.proname like '\_%' and p.prosecdef and p.prorettype <> 'trigger'::regtype $$, 'no private one is, triggers aside');

select * from finish();
rollback;
