-- Every function looks names up in pg_catalog first and in pg_temp last: a caller's temporary types, tables and functions are never found before it.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is_empty(
  $$ select p.oid::regprocedure from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and p.prokind in ('f', 'p')
    and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp'] $$,
  'no function lacks it'
);

select * from finish();
rollback;
