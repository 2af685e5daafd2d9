-- pgflow_reader reads every table and calls nothing that writes.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select is_empty($$ select c.relname from pg_class c where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v') and not has_table_privilege('pgflow_reader', c.oid, 'select') $$, 'every table and view');
select is(spec.outcome_as('pgflow_reader', $$ select pgflow.start_flow('greet', '{}') $$), '42501', 'no start');
select is(spec.outcome_as('pgflow_reader', $$ delete from pgflow.runs $$), '42501', 'no write');

select * from finish();
rollback;
