-- Messages that somebody wrote with ids at the end of all ids do not move the queue's counter, nor does one that stands there already ever go back: doctor names it.
begin;
\ir ../support/fixtures.sql
select plan(12);

create function spec.counter() returns bigint language sql volatile as $$ select pgflow._last_message_id('greet'); $$;
create function spec.found() returns setof text language sql as $$
  select format('%s; %s', d.message, d.hint) from pgflow.doctor_queues() d where d.message ~ 'numbers';
$$;
select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
insert into pgmq.q_greet (msg_id, vt, message) overriding system value
select n, 'infinity', '{}' from unnest(array[(1::bigint << 62) - 1, 1::bigint << 62, 9223372036854775807, 0, -1, '-9223372036854775808']) n;
insert into pgmq.a_greet (msg_id, vt, message) select (1::bigint << 62) - 1, now(), '{}';
select pgflow.recover_tasks(spec.worker());
select is(spec.counter(), 1::bigint, 'the counter stays');
select spec.start('greet', p_run => 2);
select is((spec.task('a', p_run => 2)).message_id, 2::bigint, 'and goes on');
select is_empty('select spec.found()', 'doctor finds nothing');

-- A counter that went there before.
select setval('pgmq.q_greet_msg_id_seq', (1::bigint << 62) - 1);
select throws_ok($$ select spec.start('greet', p_run => 3) $$, '23505', null, 'the next id is taken');
select pgflow.recover_tasks(spec.worker());
select cmp_ok(spec.counter(), '>=', 1::bigint << 62, 'recovery passes the row ahead');
select spec.start('greet', p_run => n) from generate_series(3, 5) n;
select is((spec.task('a', p_run => 5)).message_id, (1::bigint << 62) + 3, 'runs start');
select pgflow.recover_tasks(spec.worker());
select is(spec.counter(), (1::bigint << 62) + 3, 'recovery leaves the counter');
select lives_ok($$ select spec.start('greet', p_run => 6) $$, 'the next run starts');
select results_eq('select spec.found()', $$ values (format(
  'queue greet numbers its messages near the end of all numbers: %s; '
  'messages were written to its table with such numbers, not sent: stop what does that; to number as before: select setval(''pgmq.q_greet_msg_id_seq'', 2)',
  (1::bigint << 62) + 4)) $$, 'doctor names it');
select setval('pgmq.q_greet_msg_id_seq', 2);
select lives_ok($$ select spec.start('greet', p_run => 7) $$, 'the counter can be set back by hand');
select pgflow.recover_tasks(spec.worker());
select is(spec.counter(), 3::bigint, 'and stays');
select is_empty('select spec.found()', 'doctor is content');

select * from finish();
rollback;
