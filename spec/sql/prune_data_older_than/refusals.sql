-- A retention or a number of runs that makes no sense is refused.
begin;
\ir ../support/fixtures.sql
select plan(5);

select throws_ok($$ select pgflow.prune_data_older_than(null) $$, '22023', 'the retention is NULL, but must be an interval of zero or more', 'no retention');
select throws_ok($$ select pgflow.prune_data_older_than('-1 day') $$, '22023', null, 'a negative one');
select throws_ok($$ select pgflow.prune_data_older_than('1 day', 0) $$, '22023', 'max_runs is ''0'', but must be 1 or more', 'no runs');
select throws_ok($$ select pgflow.prune_data_older_than('1 day', null) $$, '22023', null, 'a null');
select is(pgflow.prune_data_older_than('1000000 hours'), 0::bigint, 'a long one is none');

select * from finish();
rollback;
