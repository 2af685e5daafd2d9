-- A task that fails is found with its next attempt, among many that do not; ended ones are not.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('greet', spec.step('only'), spec.map('each'));
select spec.start('greet', (select jsonb_agg(n) from generate_series(1, 500) n));
select is_empty($$ select * from pgflow.failing_task(spec.run(), 'each') $$, 'nothing has begun');
select spec.claim_all('greet', 450);
select is_empty($$ select * from pgflow.failing_task(spec.run(), 'each') $$, 'nothing has failed');

select spec.fail('each', 'second', p_index => 440, p_delay => 1000);
select spec.fail('each', 'first', p_index => 430, p_delay => 10);
select spec.fail('each', 'put back', p_index => 20, p_delay => 1000, p_free => true);
select results_eq($$ select task_index, status, attempts_count, error_message, round(extract(epoch from next_attempt_at - clock_timestamp()) / 5) from pgflow.failing_task(spec.run(), 'each') $$,
  $$ values (430, 'queued', 1, 'first', 2::numeric) $$, 'the first that failed');
select spec.fail('each', 'of the very first', p_index => 0, p_delay => 5000);
select is((select task_index from pgflow.failing_task(spec.run(), 'each')), 0, 'the first task of all');

select spec.fail('only', 'asleep', p_delay => 50, p_free => true);
select results_eq($$ select status, attempts_count, error_message from pgflow.failing_task(spec.run(), 'only') $$, $$ values ('queued', 0, 'asleep') $$, 'one that was put back');

update pgmq.q_greet set vt = 'infinity' where msg_id = (spec.task('only')).message_id;
select is((select next_attempt_at from pgflow.failing_task(spec.run(), 'only')), null, 'a message that is hidden for ever gives no next attempt');

select is_empty($$ select * from pgflow.failing_task(null, 'each') $$, 'no run');
select is_empty($$ select * from pgflow.failing_task(spec.run(), 'none') $$, 'no such step');
select pgflow.cancel_run(spec.run());
select is_empty($$ select * from pgflow.failing_task(spec.run(), 'each') $$, 'the run has ended');

select * from finish();
rollback;
