-- Each kind of violation is found and named.
begin;
\ir ../support/fixtures.sql
select plan(39);

select spec.deploy('prices', spec.map('a'), spec.step('b', '{a}'));
select spec.start('prices', '[1, 2]');
create function spec.found(p_damage text) returns text[] language plpgsql as $f$
declare
  v_found text[];
begin
  begin
    execute p_damage;
    v_found := array(select distinct invariant from pgflow.check_invariants(true) order by 1);
    raise exception using errcode = 'U0001';
  exception when sqlstate 'U0001' then
    return v_found;
  end;
end;
$f$;
select is(spec.found('update pgflow.runs set remaining_steps = 1'), '{run counts its steps}', 'remaining_steps');
select is(spec.found($$ update pgflow.step_states set remaining_tasks = 1 where step_slug = 'a' $$), '{step counts its tasks}', 'remaining_tasks');
select is(spec.found($$ update pgflow.step_states set failed_tasks = 1 where step_slug = 'a' $$), '{step counts its tasks}', 'failed_tasks');
select is(spec.found($$ update pgflow.steps set when_element_exhausted = 'null' where step_slug = 'a'; update pgflow.step_states set remaining_tasks = 1 where step_slug = 'a';
  update pgflow.step_tasks set status = 'failed', failed_at = clock_timestamp(), settled_claim_no = 0 where task_index = 0; delete from pgmq.q_prices where msg_id = 1 $$),
  '{step counts its tasks}', 'a failed element that is not counted');
select is(spec.found($$ update pgflow.step_states set initial_tasks = 3 where step_slug = 'a' $$), '{step counts its tasks}', 'initial_tasks');
select is(spec.found($$ update pgflow.step_states set remaining_deps = 2 where step_slug = 'b' $$), '{step counts its dependencies}', 'remaining_deps');
select is(spec.found($$ update pgflow.step_states set remaining_deps = 0 where step_slug = 'b' $$), '{ready step is started,step counts its dependencies}', 'a step that was forgotten');
select is(
  spec.found($$ update pgflow.runs set status = 'failed', failed_at = clock_timestamp(), error_step_slug = 'a'; update pgflow.step_states set status = 'failed', failed_at = clock_timestamp() where step_slug = 'a' $$),
  '{active task is under a started step and run}', 'a task under an ended run and step');
select is(
  spec.found($$ update pgflow.runs set status = 'cancelled', cancelled_at = clock_timestamp() $$), '{active task is under a started step and run}', 'a task under a cancelled run');
select is(
  spec.found($$ update pgflow.step_states set status = 'skipped', skipped_at = clock_timestamp(), skip_reason = 'x', remaining_tasks = null where step_slug = 'a'; update pgflow.runs set remaining_steps = 1;
    update pgflow.step_states set remaining_deps = 0 where step_slug = 'b' $$),
  '{active task is under a started step and run,ready step is started}', 'a task under a skipped step');
select is(spec.found($$ delete from pgflow.step_states where step_slug = 'b' $$), '{run counts its steps,run has a state of each step}', 'a step that is missing');
select is(spec.found($$ update pgflow.runs set status = 'failed', failed_at = clock_timestamp(), error_step_slug = 'b'; update pgflow.step_tasks set status = 'cancelled'; delete from pgmq.q_prices $$),
  '{failed run and step go together}', 'a failed run without its step');
select is(spec.found($$ update pgflow.step_states set status = 'failed', failed_at = clock_timestamp() where step_slug = 'b' $$), '{failed run and step go together}', 'a failed step in a started run');
select is(
  spec.found($$ update pgflow.runs set status = 'completed', completed_at = clock_timestamp() $$), '{active task is under a started step and run,run is over when its steps are}', 'a completed run with open steps');
select is(spec.found($$ update pgflow.runs set cancelled_at = clock_timestamp() $$), '{run has the fields of its status}', 'a run that has an end and goes on');
select is(spec.found($$ update pgflow.runs set flow_alias = 'other' $$), '{run is of its flow''s alias}', 'a run of another alias');
select is(spec.found($$ update pgflow.step_states set started_at = null where step_slug = 'a' $$), '{step has the fields of its status}', 'a started step that never started');
select is(spec.found($$ update pgflow.step_tasks set started_at = clock_timestamp() where task_index = 0 $$), '{task has the fields of its status}', 'a claim retained on a queued task');
select is(spec.found($$ update pgflow.step_tasks set status = 'started', started_at = clock_timestamp() where task_index = 0 $$), '{task has the fields of its status}', 'a started task without a claim');
select is(spec.found($$ update pgflow.step_tasks set attempts_count = 1 where task_index = 0 $$), '{task has the fields of its status}', 'an attempt without a claim');
select is(spec.found($$ update pgflow.step_tasks set input = null where task_index = 0 $$), '{task is one of its step''s}', 'a map task without its element');
select is(spec.found($$ update pgflow.step_tasks set task_index = 7 where task_index = 0 $$), '{task is one of its step''s}', 'a task out of its step');
select is(spec.found($$ update pgflow.step_tasks set flow_slug = 'other' where task_index = 0 $$), '{row has its parent}', 'a task of another flow');
select is(spec.found('delete from pgflow.runs'), '{active task is under a started step and run,row has its parent}', 'states without their run');
select is(spec.found($$ delete from pgflow.step_states where step_slug = 'a'; update pgflow.runs set remaining_steps = 1; update pgflow.step_states set remaining_deps = 0, status = 'started', initial_tasks = 1, started_at = clock_timestamp(),
  remaining_tasks = 1 where step_slug = 'b' $$), '{active task is under a started step and run,row has its parent,run has a state of each step,step counts its tasks}', 'tasks without their step');
select is(spec.found('delete from pgmq.q_prices where msg_id = 1'), '{active task has a message}', 'a task without a message');
select is(spec.found($$ select pgmq.send('prices', '{}') $$), '{message belongs to a task}', 'a message without a task');
select is(spec.found('drop table pgmq.q_prices cascade'), '{queue exists}', 'a queue that is gone');
select is(
  spec.found($$ insert into pgflow.queues values ('other'); select pgmq.create('other'); update pgflow.steps set queue_name = 'other' where step_slug = 'a' $$), '{task keeps its step''s queue}', 'a route that changed');
select is(spec.found($$ update pgflow.steps set queue_name = 'other' where step_slug = 'b' $$), '{step is routed to a known queue}', 'a route to nowhere');
select is(spec.found($$ update pgflow.steps set deps_count = 0 where step_slug = 'b' $$), '{definition counts its dependencies}', 'deps_count');
select is(spec.found($$ update pgflow.steps set step_index = 0 where step_slug = 'b' $$), '{step has a place of its own}', 'step_index');
select is(spec.found($$ insert into pgflow.flow_aliases values ('lonely') $$), '{alias has a version}', 'an alias without a version');
select is(spec.found('delete from pgflow.alias_activations'), '{alias is where its history left it}', 'an alias that moved by itself');
select is(spec.found($$ update pgflow.steps set kind = 'array' where step_slug = 'a' $$), '{a map is stored as one}', 'kind');
select is(spec.found($$ insert into pgflow.option_changes (flow_slug, step_slug, option, from_value, to_value, change, function_name, worker_id)
  values ('prices', 'a', 'timeout', null, 7, 'x', 'spec', spec.worker()) $$), '{option is where its history left it}', 'an option that moved by itself');
select is(spec.found($$ insert into pgflow.option_changes (flow_slug, step_slug, option, from_value, to_value, change, function_name, worker_id)
  values ('prices', 'a', 'start_delay', 7, 0, 'x', 'spec', spec.worker()) $$), '{}', 'none is no start delay');
select is(spec.found($$ insert into pgflow.fenced_workers (worker_id, queue_name, function_name, reason, answer) values (spec.worker(), 'prices', 'spec', 'x', '[]') $$),
  '{waiting worker serves nothing}', 'a worker that waits and serves');
set local session_replication_role = replica;
select is(
  spec.found($$ delete from pgflow.workers; delete from pgflow.flow_aliases $$), '{row has its parent}', 'flows and handlers whose parents are gone');

select * from finish();
rollback;
