-- Ids that are unknown, of another flow, started or ended are ignored.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.deploy('other', spec.step('c'));
select spec.start('greet');
select spec.start('other', p_run => 2);
alter table pgmq.q_other alter column msg_id restart with 50;
select spec.start('other', p_run => 3);
select results_eq(format($$ select (r).step_slug from pgflow.start_tasks('greet', array[%s, 50, 999], spec.worker()) r $$, (spec.task('a')).message_id), array['a'], 'only its own');
select is((spec.task('c', 0, 3)).status, 'queued', 'the other flow''s task is queued');
select is_empty(format($$ select from pgflow.start_tasks('greet', array[%s], spec.worker()) $$, (spec.task('a')).message_id), 'a started one is not given out again');
select is(spec.nth_claim((spec.task('a')).claim_no), 1::bigint, 'its claim is what it was');
select is_empty($$ select from pgflow.start_tasks('greet', '{}', spec.worker()) $$, 'no ids, no tasks');
select spec.complete('a');
select is_empty(format($$ select from pgflow.start_tasks('greet', array[%s], spec.worker()) $$, (spec.task('a')).message_id), 'a completed one neither');

select * from finish();
rollback;
