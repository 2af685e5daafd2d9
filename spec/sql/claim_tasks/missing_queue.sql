-- A queue whose table is gone is an error, not an empty answer.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
drop table pgmq.q_greet cascade;
select throws_ok($$ select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, '42P01', null, 'undefined_table');

select * from finish();
rollback;
