-- A message without a task that is older than 60 s is archived and reported by its id.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
create temp table sent as select pgmq.send('greet', '{}') as msg_id;
update pgmq.q_greet set enqueued_at = clock_timestamp() - interval '61 seconds';
select spec.start('greet');
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10);
select results_eq($$ select msg_id from answer where kind = 'orphan' $$, 'select msg_id from sent', 'reported');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '1 1', 'archived');
select results_eq($$ select step_slug from answer where kind = 'task' $$, array['a'], 'the batch''s live work is claimed all the same');

select * from finish();
rollback;
