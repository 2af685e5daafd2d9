-- Each kind of violation is found and named.
begin;
\ir ../support/fixtures.sql
select plan(11);

select spec.deploy('prices', spec.map('a'), spec.step('b', '{a}'));
select spec.start('prices', '[1, 2]');
create function spec.found(p_damage text) returns text[] language plpgsql as $f$
declare
  v_found text[];
begin
  begin
    execute p_damage;
    v_found := array(select distinct invariant from pgflow.check_invariants() order by 1);
    raise exception using errcode = 'U0001';
  exception when sqlstate 'U0001' then
    return v_found;
  end;
end;
$f$;
select is(spec.found('update pgflow.runs set remaining_steps = 1'), '{run counts its steps}', 'remaining_steps');
select is(spec.found($$ update pgflow.step_states set remaining_tasks = 1 where step_slug = 'a' $$), '{step counts its tasks}', 'remaining_tasks');
select is(spec.found($$ update pgflow.step_states set remaining_deps = 2 where step_slug = 'b' $$), '{step counts its dependencies}', 'remaining_deps');
select is(spec.found($$ update pgflow.step_states set remaining_deps = 0 where step_slug = 'b' $$), '{ready step is started,step counts its dependencies}', 'a step that was forgotten');
select is(spec.found($$ update pgflow.runs set status = 'failed', failed_at = now() $$), '{active task is under a started step and run}', 'a task under an ended run');
select is(spec.found($$ update pgflow.step_states set status = 'failed', failed_at = now() where step_slug = 'a' $$), '{active task is under a started step and run}', 'a task under an ended step');
select is(spec.found($$ delete from pgflow.step_states where step_slug = 'b' $$), '{run counts its steps}', 'a step that is missing');
select is(spec.found('delete from pgmq.q_prices where msg_id = 1'), '{active task has a message}', 'a task without a message');
select is(spec.found($$ select pgmq.send('prices', '{}') $$), '{message has an active task}', 'a message without a task');
select is(spec.found('drop table pgmq.q_prices cascade'), '{queue exists}', 'a queue that is gone');
select is(spec.found($$ update pgflow.steps set queue_name = 'other' where step_slug = 'a' $$), '{task keeps its step''s queue}', 'a route that changed');

select * from finish();
rollback;
