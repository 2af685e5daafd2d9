-- The same key of an alias returns its run and starts nothing; with another input it is an error.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'));
select spec.deploy('other', spec.step('a'));
create temp table first as select * from pgflow.start_flow('greet', '{"n": 1, "m": 2}', idempotency_key => 'k');
select is((select run_id from pgflow.start_flow('greet', '{"m": 2, "n": 1}', idempotency_key => 'k')), (select run_id from first), 'the same run');
select is(spec.messages('greet'), 1::bigint, 'nothing new was sent');
select throws_ok($$ select pgflow.start_flow('greet', '{"n": 2}', idempotency_key => 'k') $$, '23505', null, 'another input is an error');
select isnt((select run_id from pgflow.start_flow('greet', '{"n": 1}', idempotency_key => 'k2')), (select run_id from first), 'another key is another run');
select isnt((select run_id from pgflow.start_flow('other', '{"n": 1, "m": 2}', idempotency_key => 'k')), (select run_id from first), 'keys are per alias');

select * from finish();
rollback;
