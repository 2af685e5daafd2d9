-- It locks the runs that are there, and no others; unknown ids and repeated calls are fine.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 3) n;
select pgflow.lock_runs(array[spec.run(3), spec.run(9), spec.run(1), spec.run(1)]);
select results_eq($$ select run_id from pgflow.runs where xmax <> '0'::xid order by 1 $$, $$ values (spec.run(1)), (spec.run(3)) $$, 'both that were named are locked, whatever the order');
select lives_ok($$ select pgflow.lock_runs('{}') $$, 'none at all');
select lives_ok($$ select pgflow.lock_runs(array[spec.run(1)]) $$, 'once more');

select * from finish();
rollback;
