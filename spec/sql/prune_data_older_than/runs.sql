-- Runs that ended before the cutoff go, whatever their end, with states, tasks, keys and their own archived messages; all else stays.
begin;
\ir ../support/fixtures.sql
select plan(12);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'), spec.step('b', '{a}'));
select from pgflow.start_flow('greet', '{}', spec.run(1), 'key');
select spec.start('greet', p_run => n) from generate_series(2, 5) n;
select spec.claim_all('greet');
select spec.complete('a', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('greet');
select spec.complete('b', p_run => n) from generate_series(1, 2) n;
select spec.fail('a', p_run => 3);
select from pgflow.cancel_run(spec.run(4));
select pgmq.send('greet', '{"somebody": "else"}');
select pgmq.archive('greet', (select max(msg_id) from pgmq.q_greet));
-- Runs 1, 3, 4 ended 40 days ago; 2 has just ended; 5 has been under way for 50 days.
update pgflow.runs set started_at = now() - interval '50 days', completed_at = completed_at - interval '40 days', failed_at = failed_at - interval '40 days',
  cancelled_at = cancelled_at - interval '40 days' where run_id <> spec.run(2);
update pgflow.runs set started_at = now() - interval '50 days' where run_id = spec.run(2);
create temp table before as select (select jsonb_agg(t order by t.run_id, t.step_slug) from pgflow.step_tasks t where t.run_id in (spec.run(2), spec.run(5))) as t, spec.definitions() as d;
create temp table theirs as select array_agg(message_id) as ids from pgflow.step_tasks where run_id not in (spec.run(2), spec.run(5));
select is(spec.archived('greet'), 7::bigint, 'archived before');
select is(pgflow.prune_data_older_than('30 days'), 3::bigint, 'a completed, a failed and a cancelled one');
select set_eq('select run_id from pgflow.runs', array[spec.run(2), spec.run(5)], 'these stay');
select set_eq('select run_id from pgflow.step_states', array[spec.run(2), spec.run(5)], 'with their states');
select is((select jsonb_agg(t order by t.run_id, t.step_slug) from pgflow.step_tasks t), (select t from before), 'and tasks');
select is(spec.archived('greet'), 3::bigint, 'two archived messages and a foreign one are left');
select is_empty('select msg_id from pgmq.a_greet, theirs where msg_id = any (ids)', 'none of those of the pruned runs');
select is(spec.messages('greet'), 1::bigint, 'the active run keeps its message');
select is(spec.definitions(), (select d from before), 'definitions are kept');
select is((select run_id <> spec.run(1) from pgflow.start_flow('greet', '{"other": 1}', idempotency_key => 'key')), true, 'the key is free');
select is(pgflow.prune_data_older_than('30 days'), 0::bigint, 'nothing is left');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
