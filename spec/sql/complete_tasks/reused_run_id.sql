-- A late answer for a run that was deleted does not count for the run that a caller starts under its id again.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', '{"number": 1}');
select spec.claim_all('greet');
create temp table late as select (spec.task('a')).claim_no;
select pgflow.cancel_run(spec.run(), 'not needed');
update pgflow.runs set started_at = started_at - interval '2 minutes', cancelled_at = cancelled_at - interval '1 minute';
select pgflow.prune_data_older_than('0 s');
select is_empty('select from pgflow.runs', 'the run is deleted');
select spec.start('greet', '{"number": 2}');
select is((spec.task('a')).claim_no, 0::bigint, 'its task starts as one that nobody has claimed');
select spec.claim_all('greet');
select isnt((spec.task('a')).claim_no, (select claim_no from late), 'its first claim is another');
select results_eq(
  $$ select c.answer from late l, pgflow.complete_tasks(array[spec.run()], '{a}', '{0}', array[l.claim_no], array['"old"'::jsonb]) c $$,
  $$ values ('stale') $$, 'the late result'
);
select is((spec.task('a')).status, 'started', 'changes nothing');
select is(spec.complete('a', '"new"'), 'done', 'the new one counts');

select * from finish();
rollback;
