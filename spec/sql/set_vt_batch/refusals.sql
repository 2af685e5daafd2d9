-- Nothing to do gives no rows; arrays of two lengths, missing queues and bad names are errors.
begin;
\ir ../support/fixtures.sql
select plan(6);

select pgmq.create('here');
select is_empty($$ select * from pgflow.set_vt_batch('here', null, '{1}') $$, 'null ids');
select is_empty($$ select * from pgflow.set_vt_batch('here', '{1}', null) $$, 'null offsets');
select is_empty($$ select * from pgflow.set_vt_batch('here', '{}', '{}') $$, 'none');
select throws_ok($$ select pgflow.set_vt_batch('here', '{1,2}', '{1}') $$, 'P0001', 'msg_ids length (2) must equal vt_offsets length (1)', 'two lengths');
select throws_ok($$ select pgflow.set_vt_batch('gone', '{1}', '{1}') $$, '42P01', null, 'a queue that does not exist');
select throws_ok($$ select pgflow.set_vt_batch('a;b', '{1}', '{1}') $$, null, null, 'a name that is none');

select * from finish();
rollback;
