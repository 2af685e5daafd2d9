-- No public function is overloaded: a call by names of arguments is never ambiguous.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace group by p.proname having count(*) > 1 $$, 'each name once');

select * from finish();
rollback;
