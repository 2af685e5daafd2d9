-- A message whose columns make the read of the queue fail, or its own archiving, is set aside by name and the others flow: every column at every end of its type, among them those of tasks.
begin;
\ir ../support/fixtures.sql
select plan(14);

select spec.deploy('greet', spec.step('a'));
create temp table hostile as
  select row_number() over () as n, h.*
  from (
    select 'read_ct' as name, v as value from unnest('{2147483647,-2147483648,2147483646,-1}'::text[]) v
    union all select c, v from unnest('{enqueued_at,vt,last_read_at}'::text[]) c, unnest('{infinity,-infinity,4713-01-01 BC,294276-12-31}'::text[]) v
    union all select c, v from unnest('{message,headers}'::text[]) c,
      unnest(array[null, '[]', 'null', '"\\u007f"', '[' || repeat('1e131071,', 20) || '1]', to_jsonb(repeat('x', 3000000))::text, repeat('[', 500) || repeat(']', 500)]) v
    union all select 'msg_id', v from unnest('{0,-1,-9223372036854775808,9223372036854775807,4611686018427387904,77}'::text[]) v
  ) h (name, value);

-- What comes of one such message before a task's, in as many claims as there may be: how it fares, and the task.
create function spec.try_message(p_name text, p_value text) returns text language plpgsql as $$
declare
  v_outcome text;
begin
  perform spec.start('greet');
  execute format(
    'insert into pgmq.q_greet (%s) overriding system value select %s from (select 5 as msg_id, 0 as read_ct, now() - interval ''1 hour'' as enqueued_at, clock_timestamp() as last_read_at,
      clock_timestamp() as vt, ''{}''::jsonb as message, null::jsonb as headers) d',
    'msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers',
    replace(' msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers', ' ' || p_name, ' ' || quote_nullable(p_value) || '::' ||
      (select format_type(a.atttypid, null) from pg_attribute a where a.attrelid = 'pgmq.q_greet'::regclass and a.attname = p_name))
  );
  insert into pgmq.a_greet (msg_id, vt, message) values (77, now(), '"mine"');
  for i in 1..3 loop
    perform spec.claim('greet', 2);
  end loop;
  perform pgflow.recover_tasks(spec.worker());
  perform spec.claim('greet', 2);
  perform pgflow.queue_figures('greet'), pgflow.queue_faults('greet');
  perform q from pgflow.queue_status q;
  v_outcome := concat_ws(' ', (spec.task('a')).status, spec.complete('a'), (spec.task('a')).status, (select count(*) from pgflow.check_invariants(true)),
    (select a.message from pgmq.a_greet a where a.msg_id = 77));
  raise exception using errcode = 'SPEC0', message = v_outcome;
exception when others then
  return sqlerrm;
end;
$$;
create temp table fared as select h.name, h.value, spec.try_message(h.name, h.value) as outcome from hostile h;
select cmp_ok((select count(*) from fared), '>=', 34::bigint, 'many were tried');
select is_empty($$ select name, left(value, 30), outcome from fared where outcome <> 'started done completed 0 "mine"' $$, 'the task beside each is claimed and completed, and whoever looks at the queue sees it');

-- Those whose read fails: behind them others flow, and a task's own message is sent again.
select spec.start('greet', p_run => n) from generate_series(1, 3) n;
insert into pgmq.q_greet (msg_id, read_ct, vt, message) overriding system value select -n, 2147483647, now(), '{}' from generate_series(1, 30) n;
update pgmq.q_greet set read_ct = 2147483647 where msg_id = (spec.task('a', 0, 2)).message_id;
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 2);
select is((select count(*)::int from answer where kind = 'unreadable'), 31, 'each of many is reported');
select is((select array_agg(distinct input) from answer where kind = 'unreadable'), '{integer out of range}', 'with the reason');
select is((select msg_id from answer where kind = 'unreadable' and msg_id > 0), (spec.task('a', 0, 2)).message_id, 'and its id');
select is((select status || ' ' || more from answer where kind = 'answer'), 'ok true', 'the next claim is due at once');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '2 31', 'they are archived');
select is((select count(*)::int from pgmq.q_greet where read_ct > 0), 0, 'the others were not touched');
select set_eq($$ select spec.claim('greet', 5) $$, array['a:0'], 'those are claimed');
select is((spec.task('a', 0, 1)).status || ' ' || (spec.task('a', 0, 3)).status, 'started started', 'both');
select lives_ok($$ select pgflow.recover_tasks(spec.worker()) $$, 'recovery');
select set_eq($$ select spec.claim('greet', 5) $$, array['a:0'], 'sends the message of the task again');
select is((spec.task('a', 0, 2)).status, 'started', 'which is claimed');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is well');

select * from finish();
rollback;
