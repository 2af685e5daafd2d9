-- What ends before it began, by the clock of a transaction that is older than the run or after the clock was set back, is recorded at its beginning.
begin;
\ir ../support/fixtures.sql
select plan(8);

create function spec.ahead() returns void language sql as $$
  update pgflow.runs r set started_at = r.started_at + interval '1 hour';
  update pgflow.step_states s set created_at = s.created_at + interval '1 hour', started_at = s.started_at + interval '1 hour';
  update pgflow.step_tasks t set queued_at = t.queued_at + interval '1 hour', started_at = t.started_at + interval '1 hour';
$$;
select spec.deploy_registry(array[spec.flow('greet', array[
  spec.step('a'), spec.map('m', 'a'), spec.map('n', 'm'), spec.step('s', array['n'], p_only_if => '{"n": 1}'), spec.step('z', array['n'])
]), spec.flow('poor', array[spec.step('a', p_options => '{"maxAttempts": 1}')], p_routing => '{"a": "greet"}'), spec.flow('skips', array[
  spec.step('a', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip-cascade'), spec.step('b', array['a'])], p_routing => '{"a": "greet", "b": "greet"}')]);
select spec.start('greet', p_run => 1);
select spec.start('greet', p_run => 2);
select spec.start('poor', p_run => 3);
select spec.start('skips', p_run => 4);
select spec.claim_all('greet');
select spec.ahead();
select is(spec.complete('a', '[]', p_run => 1), 'done', 'a completion, with empty maps, a skip and a start behind it');
select is(spec.states(1), '{"a": "completed", "m": "completed", "n": "completed", "s": "skipped", "z": "started"}', 'moves the run on');
select is(spec.complete('a', '5', p_run => 2), 'done', 'an output of the wrong type');
select is(spec.fail('a', p_run => 3), 'done', 'a failure');
select is(spec.fail('a', p_run => 4), 'done', 'one that skips');
select spec.make_visible('greet');
select spec.claim_all('greet');
select is(spec.complete('z', p_run => 1), 'done', 'the last step');
select results_eq('select status from pgflow.runs order by run_id', '{completed,failed,failed,completed}'::text[], 'all have ended');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
