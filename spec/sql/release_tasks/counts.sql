-- What costs no attempt is counted: the end of an executor, and the loss of a transaction. A claim answers both, a failure keeps them, and a snooze,
-- which shows that the handler came to its end, clears them.
begin;
\ir ../support/fixtures.sql
select plan(14);

create function pg_temp.release(p_suspicion int, p_lost boolean, p_delay float8 default null) returns text
language sql as $$
  select a.answer from pgflow.release_tasks(
    array[spec.run()], '{a}', '{0}', array[(spec.task('a')).claim_no], array[p_suspicion], array[p_lost], array[p_delay]
  ) a
$$;
create function pg_temp.claimed() returns text
language sql as $$ select (c.attempt, c.suspicion, c.lost_transactions)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) c where c.kind = 'task' $$;

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 3}'));
select spec.start('greet');
select is(pg_temp.claimed(), '(1,0,0)', 'a first claim');
select is(pg_temp.release(2, false), 'done', 'its executor ended, and nobody was to blame');
select is(pg_temp.claimed(), '(1,2,0)', 'counted, at no attempt');
select is(pg_temp.release(1, true), 'done', 'its executor ended through another task, and its transaction was lost');
select is(pg_temp.claimed(), '(1,3,1)', 'both are counted');
select spec.release('a');
select is(pg_temp.claimed(), '(1,3,1)', 'a release for any other reason is not');
select pg_temp.release(null, null);
select is(pg_temp.claimed(), '(1,3,1)', 'nor nulls');
select pg_temp.release(-5, null);
select is(pg_temp.claimed(), '(1,3,1)', 'nothing is taken back');
select spec.fail('a', 'on purpose', p_delay => 0);
select is(pg_temp.claimed(), '(2,3,1)', 'a failed attempt keeps them');
select spec.fail('a', 'later', p_delay => 0, p_free => true);
select is(pg_temp.claimed(), '(2,0,0)', 'a snooze clears them');
select is(pg_temp.release(9, true) || pg_temp.release(9, true), 'donestale', 'a second release of one claim is not counted');
select is((select (t.suspicion, t.lost_transactions)::text from spec.task('a') t), '(9,1)', 'it was counted once');
select pg_temp.claimed();
select pgflow.release_tasks(array[spec.run()], '{a}', '{0}', array[(spec.task('a')).claim_no], '[4:4]={2}', '{{true}}', '[0:0]={0}');
select is((select (t.suspicion, t.lost_transactions)::text from spec.task('a') t), '(11,2)', 'whatever bounds the arrays have');
select throws_ok($$ select pgflow.release_tasks(array[spec.run()], '{a}', '{0}', '{1}', '{}') $$, '2202E', 'the arrays differ in length: 1, 1, 1, 1, 0, 1, 1', 'a count for each');

select * from finish();
rollback;
