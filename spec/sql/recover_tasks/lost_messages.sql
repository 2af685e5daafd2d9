-- Active tasks whose message is gone get a new one, whatever took it away: the queue was purged, a message was deleted, archived or popped.
begin;
\ir ../support/fixtures.sql
select plan(20);

select spec.deploy('prices', spec.map('a', p_options => '{"timeout": 100}'), spec.step('later', '{}', '{"startDelay": 1000}'));
select spec.start('prices', '[0, 1, 2, 3]');
select spec.claim('prices', 3);
select spec.complete('a', '1', 0);
select spec.fail('a', p_index => 1, p_delay => 500);
create temp table before as select t.step_slug, t.task_index, t.message_id, t.status, t.claim_no, t.attempts_count from pgflow.step_tasks t;
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'nothing is missed');

select pgmq.purge_queue('prices');
select is((select count(*) from pgflow.check_invariants(true)), 4::bigint, 'four tasks have no message');
select results_eq($$ select step_slug, task_index, reason, outcome from pgflow.recover_tasks(spec.worker()) order by 1, 2 $$,
  $$ values ('a', 1, 'no_message', 'resent'), ('a', 2, 'no_message', 'resent'), ('a', 3, 'no_message', 'resent'), ('later', 0, 'no_message', 'resent') $$,
  'each gets one');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'once');
select ok((select min(t.message_id) from pgflow.step_tasks t where t.status <> 'completed') > (select max(message_id) from before), 'the ids are new');
select results_eq($$ select status, claim_no, attempts_count from pgflow.step_tasks order by step_slug, task_index $$,
  $$ select status, claim_no, attempts_count from before order by step_slug, task_index $$, 'no task moved');
select ok(spec.hidden_s_of('a', 2) between 130 - 60 and 130, 'a started task''s message is hidden until it can be recovered');
select ok(spec.hidden_s_of('later') between 1000 - 60 and 1000, 'a start delay is kept');
select ok(spec.hidden_s_of('a', 1) <= 0, 'a retry delay went with its message');

select pgmq.archive('prices', (spec.task('later')).message_id);
select spec.claim('prices', 1);
select spec.fail('a', p_index => 1, p_delay => 700);
select pgmq.archive('prices', (spec.task('a', 1)).message_id);
select pgmq.delete('prices', (spec.task('a', 2)).message_id);
select pgmq.pop('prices');
select is((select count(*) from pgflow.recover_tasks(spec.worker()) where outcome = 'resent'), 4::bigint, 'archived, deleted, popped');
select ok(spec.hidden_s_of('a', 1) between 700 - 60 and 700, 'the retry delay of an archived message is kept');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select pgmq.delete('prices', (spec.task('a', 2)).message_id);
select spec.age_claim('a', interval '131 seconds', 2);
select results_eq($$ select task_index, reason, outcome from pgflow.recover_tasks(spec.worker()) order by 3 $$,
  $$ values (2, 'timeout', 'requeued'), (2, 'no_message', 'resent') $$, 'a stalled task is found without its message');
select is((select (c.step_slug, c.task_index)::text from pgflow.claim_tasks(spec.worker(), 1, 'prices', 10) c where c.kind = 'task' and c.task_index = 2), '(a,2)', 'and runs again');

truncate pgmq.q_prices restart identity;
select is((select count(*) from pgflow.recover_tasks(spec.worker()) where outcome = 'resent'), 4::bigint, 'a table whose counter was reset');
select lives_ok($$ select spec.start('prices', '[0]', 2) $$, 'no id means two messages');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select pgflow.cancel_run(spec.run(2));
select pgmq.purge_queue('prices');
select is((select count(*) from pgflow.recover_tasks(spec.worker()) where run_id = spec.run(2)), 0::bigint, 'tasks of ended runs need none');
select is((select count(*) from pgmq.q_prices), 4::bigint, 'the others have theirs');

select * from finish();
rollback;
