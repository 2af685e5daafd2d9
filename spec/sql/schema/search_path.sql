-- Every function pins an empty search path.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is_empty(
  $$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and p.prokind in ('f', 'p') and not coalesce(p.proconfig, '{}') @> array['search_path=""'] $$,
  'no function lacks it'
);

select * from finish();
rollback;
