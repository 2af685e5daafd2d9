-- The waiting tasks of a started run become due: no attempt is lost or given back, and no run is started.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('one', spec.step('a', p_options => '{"baseDelay": 600}'), spec.step('b', p_options => '{"startDelay": 600}'), spec.step('c'));
select spec.start('one');
select spec.claim('one');
select spec.fail('a', 'boom');
select ok(spec.hidden_s_of('a') > 1000, 'the retry waits');
create temp table before as select spec.task('a') as a, spec.task('c') as c;
select results_eq($$ select r.run_id, r.status from pgflow.retry_run(spec.run()) r $$, $$ values (spec.run(), 'started') $$, 'the run itself is the answer');
select ok(spec.hidden_s_of('a') <= 0, 'the retry is due');
select ok(spec.hidden_s_of('b') > 500, 'a start delay stays');
select is(spec.task('a'), (select a from before), 'no attempt is counted or given back');
select is(spec.task('c'), (select c from before), 'a task that runs is left alone');
select is((select count(*) from pgflow.runs), 1::bigint, 'no run is started');
select set_eq($$ select spec.claim('one') $$, array['a:0'], 'it is claimed once');
select is((spec.task('a')).attempts_count, 2, 'as the second attempt');

select * from finish();
rollback;
