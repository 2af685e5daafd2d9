-- A message without a task that is younger than 60 s is hidden for 5 s: its task may not be committed yet.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
create temp table sent as select pgmq.send('greet', '{}') as msg_id;
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, $$ values ('answer', 'ok') $$, 'nothing is reported');
select ok(spec.about(spec.hidden_s('greet', (select msg_id from sent)), 5), 'it is hidden for 5 s');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '1 0', 'and not archived');

select * from finish();
rollback;
