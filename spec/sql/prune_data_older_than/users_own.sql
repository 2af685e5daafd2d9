-- A function of that name that users brought from pgflow, for an interval alone, stands beside it, and neither hides the other.
begin;
\ir ../support/fixtures.sql
select plan(6);

select is(pgflow.prune_data_older_than(interval '1 day'), 0::bigint, 'without one');
select is(pgflow.prune_data_older_than('1 day'), 0::bigint, 'as text');
create function pgflow.prune_data_older_than(retention_interval interval) returns void language sql as $$ select $$;
select lives_ok($$ select pgflow.prune_data_older_than(interval '1 day') $$, 'an interval alone');
select lives_ok($$ select pgflow.prune_data_older_than(retention_interval => make_interval(days => 7)) $$, 'theirs by its name');
select is(pgflow.prune_data_older_than(interval '1 day', 100), 0::bigint, 'luaflow''s by its second argument');
select is(pgflow.prune_data_older_than(retention => interval '1 day'), 0::bigint, 'and by its name');

select * from finish();
rollback;
