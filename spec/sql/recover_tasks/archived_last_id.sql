-- A message with the last id that there is, put into an archive by whoever may write there, does not use up all ids: sends go on, and a counter that was set to the end is set back.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
insert into pgmq.a_greet (msg_id, read_ct, enqueued_at, vt, message) values (9223372036854775807, 1, now(), now(), '{}');
select pgflow.recover_tasks(spec.worker());
select lives_ok($$ select spec.start('greet', p_run => 2) $$, 'a start');
select setval(pg_get_serial_sequence('pgmq.q_greet', 'msg_id'), 9223372036854775807);
select pgflow.recover_tasks(spec.worker());
select lives_ok($$ select spec.start('greet', p_run => 3) $$, 'a start after the counter was at its end');
select is((select max(msg_id) from pgmq.q_greet), 3::bigint, 'with the next id');

select * from finish();
rollback;
