-- Each message gets its own visibility; unknown ids are ignored; the other messages stay as they are.
begin;
\ir ../support/fixtures.sql
select plan(4);

select pgmq.create('Mixed');
select pgmq.send('Mixed', format('{"n": %s}', n)::jsonb) from generate_series(1, 3) n;
select results_eq(
  $$ select msg_id, read_ct, message, headers, round(extract(epoch from vt - clock_timestamp())) from pgflow.set_vt_batch('Mixed', '{1,99,2}', '{100,5,-10}') order by 1 $$,
  $$ values (1::bigint, 0, '{"n": 1}'::jsonb, null::jsonb, 100::numeric), (2, 0, '{"n": 2}', null, -10) $$, 'the two that exist'
);
select ok(spec.about(spec.hidden_s('mixed', 1), 100), 'it is stored');
select ok(spec.hidden_s('mixed', 3) <= 0, 'the third one is not touched');
select is((select array_agg(msg_id order by msg_id) from pgmq.read('Mixed', 1, 10)), '{2,3}', 'what can be read now');

select * from finish();
rollback;
