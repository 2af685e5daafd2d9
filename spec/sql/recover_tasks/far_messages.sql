-- A message that is hidden for longer than any rule explains is shown; start delays, retry delays and claims are left alone.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.map('a', p_options => '{"timeout": 1000000}'), spec.step('later', '{}', '{"startDelay": 200000}'));
select spec.start('greet', '[0, 1, 2, 3]');
select spec.claim('greet', 3);
select spec.fail('a', p_index => 1, p_delay => 86000);
select spec.release('a', 2);
select pgmq.send('greet', '{}');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'all is explained');

update pgmq.q_greet set vt = clock_timestamp() + interval '5 years' where msg_id = (spec.task('a', 2)).message_id;
update pgmq.q_greet set vt = 'infinity' where msg_id in ((spec.task('a', 0)).message_id, (spec.task('a', 1)).message_id, (spec.task('a', 3)).message_id, (select max(msg_id) from pgmq.q_greet));
select results_eq($$ select task_index, reason, outcome from pgflow.recover_tasks(spec.worker()) order by 1 $$,
  $$ values (1, 'hidden', 'shown'), (2, 'hidden', 'shown'), (3, 'hidden', 'shown'), (null, 'hidden', 'shown') $$,
  'those of queued tasks, and one that belongs to none');
select ok(spec.hidden_s_of('a', 1) <= 0 and spec.hidden_s_of('a', 2) <= 0 and spec.hidden_s_of('a', 3) <= 0, 'they are seen');
select ok(spec.hidden_s_of('later') between 200000 - 60 and 200000, 'a start delay is left');
select is((select vt from pgmq.q_greet where msg_id = (spec.task('a', 0)).message_id), 'infinity', 'a started task is found without it');
select spec.age_claim('a', interval '1000031 seconds', 0);
select results_eq($$ select task_index, reason from pgflow.recover_tasks(spec.worker()) $$, $$ values (0, 'timeout') $$, 'when its time is over');
select is((select count(*) from spec.claim('greet')), 4::bigint, 'all four are claimed');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'nothing is left to do');

select * from finish();
rollback;
