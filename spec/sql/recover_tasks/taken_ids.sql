-- Messages that somebody wrote with ids that the queue's counter comes to make every send fail: the next round of recovery lifts the counter above them.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet');
select spec.claim_all('greet');
insert into pgmq.q_greet (msg_id, vt, message) overriding system value select n, 'infinity', '{}' from generate_series(2, 5000) n;
select throws_ok($$ select spec.complete('a') $$, '23505', null, 'the message of the next step cannot be sent');
select lives_ok($$ select pgflow.recover_tasks(spec.worker()) $$, 'recovery');
select is(spec.complete('a'), 'done', 'lifts the counter');
select lives_ok($$ select spec.start('greet', p_run => 2) $$, 'runs start');
select cmp_ok((spec.task('b')).message_id, '>', 5000::bigint, 'with ids above them');

select * from finish();
rollback;
