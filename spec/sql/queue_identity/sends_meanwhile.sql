-- Recovery looks whether a queue's counter is behind, while others send: it must not set the counter back to what it has
-- seen of them, or their next sends fail.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('one', spec.step('a'));
select spec.start('one', p_run => 1);
-- What others do between two looks: the first of their messages is committed when ids are looked for, and they go on.
create or replace function pgflow._known_message_id(p_queue_name text, p_below bigint) returns bigint language plpgsql volatile as $$
declare
  v_first bigint := pgmq.send(p_queue_name, '{}');
begin
  perform pgmq.send(p_queue_name, '{}') from generate_series(1, 5);
  return v_first;
end;
$$;
select pgflow._raise_message_ids('one');
select is(pgflow._last_message_id('one'), (select max(q.msg_id) from pgmq.q_one q), 'the counter is where it was');
select lives_ok($$ select pgmq.send('one', '{}') $$, 'the next send has an id');

create or replace function pgflow._known_message_id(p_queue_name text, p_below bigint) returns bigint language sql as 'select 500::bigint';
select pgflow._raise_message_ids('one');
select is(pgflow._last_message_id('one'), 500::bigint, 'one that is behind is raised');

select * from finish();
rollback;
