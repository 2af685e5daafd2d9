-- A queue that vanished comes back with a deployment that names it: each active task gets a new message, with an id above all known ones.
begin;
\ir ../support/fixtures.sql
select plan(13);

select spec.deploy('prices', spec.map('a', p_options => '{"timeout": 100}'));
select spec.start('prices', '[0, 1, 2, 3]');
select spec.claim('prices', 3);
select spec.complete('a', '1', 0);
select spec.fail('a', p_index => 1);
create temp table before as select t.task_index, t.message_id from pgflow.step_tasks t;
drop table pgmq.q_prices cascade;
select is((select invariant from pgflow.check_invariants(true)), 'queue exists', 'it is missed');
select is((select status from spec.deploy_registry(array[spec.flow('prices', array[spec.map('a', p_options => '{"timeout": 100}')])], p_worker => 2)), 'verified', 'a deployment');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select is(spec.messages('prices'), 3::bigint, 'a message for each active task');
select ok((select min(t.message_id) from pgflow.step_tasks t where t.status <> 'completed') > (select max(message_id) from before), 'their ids are new');
select is((select t.message_id from spec.task('a', 0) t), (select message_id from before where task_index = 0), 'a completed task keeps its own');
select is(spec.tasks('a'), '{completed,queued,started,queued}', 'no task moved');
select is((select array_agg(t.attempts_count order by t.task_index) from pgflow.step_tasks t), '{1,1,1,0}', 'none was blamed');
select ok(spec.about(spec.hidden_s_of('a', 2), 130), 'a started task''s message is hidden until it can be recovered');
select is((select message from pgmq.q_prices where msg_id = (spec.task('a', 3)).message_id),
  jsonb_build_object('flow_slug', 'prices', 'run_id', spec.run(), 'step_slug', 'a', 'task_index', 3), 'a message names its task');
select is((select count(*) from spec.claim('prices')), 2::bigint, 'the queued ones can be claimed');
select is(spec.complete('a', '1', 2, p_claim_no => 1), 'done', 'the claim of before is still good');
select spec.age_claim('a', interval '131 seconds', 3);
select is((select count(*) from pgflow.recover_tasks(spec.worker())), 1::bigint, 'its tasks are recovered as ever');

select * from finish();
rollback;
