-- An empty queue gives just an answer, without a next message.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select results_eq($$ select kind, status, next_visible_ms from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, $$ values ('answer', 'ok', null::bigint) $$, 'the answer');

select * from finish();
rollback;
