-- At most max_runs in a call, the oldest first; the caller loops.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 5) n;
select from generate_series(1, 5) n cross join pgflow.cancel_run(spec.run(n));
update pgflow.runs set started_at = now() - make_interval(days => 10 + right(run_id::text, 1)::int), cancelled_at = now() - interval '9 days';
select is(pgflow.prune_data_older_than('1 day', 2), 2::bigint, 'two');
select set_eq('select run_id from pgflow.runs', array[spec.run(1), spec.run(2), spec.run(3)], 'those that started first');
select is(pgflow.prune_data_older_than('1 day', 2), 2::bigint, 'two more');
select is(pgflow.prune_data_older_than('1 day', 2) + pgflow.prune_data_older_than('1 day', 2), 1::bigint, 'the last, then none');

select * from finish();
rollback;
