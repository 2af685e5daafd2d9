-- Messages whose times are infinite, or beyond every calendar, stop neither a claim nor whoever looks at the queue, and are not read for ever.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select pgmq.send('greet', '{}') from generate_series(1, 4);
update pgmq.q_greet set vt = 'infinity' where msg_id = 2;
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1);
select results_eq($$ select step_slug from answer where kind = 'task' $$, array['a'], 'work is claimed beside a message that is hidden for ever');

delete from pgmq.q_greet where msg_id <> 2;
select is((select next_visible_ms from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1)), 86400000::bigint, 'an idle claim answers');
update pgmq.q_greet set vt = '294000-01-01';
select is((select next_visible_ms from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1)), 86400000::bigint, 'in a far year too');

update pgmq.q_greet set vt = '-infinity', enqueued_at = 'infinity';
select is((select oldest_age from pgflow.queue_status), null::interval, 'a message that was sent at no time has no age');
select results_eq($$ select msg_id from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'orphan' $$, array[2::bigint],
  'one that belongs to no task is archived');
select pgmq.send('greet', '{}');
update pgmq.q_greet set enqueued_at = '-infinity';
select is((select depth from pgflow.queue_status), 1::bigint, 'the queue is shown');
select is((select count(*) from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'orphan'), 1::bigint, 'and is archived');
select pgmq.send('greet', '{}');
update pgmq.q_greet set enqueued_at = clock_timestamp() + interval '1 hour';
select is((select oldest_age from pgflow.queue_status), interval '0', 'one of the future has no age yet');
select is((select count(*) from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'orphan'), 1::bigint, 'and is archived: the clock was set back');

select * from finish();
rollback;
