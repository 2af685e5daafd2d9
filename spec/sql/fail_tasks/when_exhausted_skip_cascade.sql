-- skip-cascade also skips all that depends on the step, directly or not, with other parents too; what does not goes on.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip-cascade'), spec.step('beside'),
  spec.step('b', '{a}'), spec.step('join', '{b,beside}'), spec.step('free', '{beside}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', 'boom');
select is(spec.states(), '{"a": "skipped", "b": "skipped", "join": "skipped", "beside": "started", "free": "created"}'::jsonb, 'the states');
select results_eq($$ select step_slug, skip_reason, error_message from pgflow.step_states where status = 'skipped' order by step_slug $$,
  $$ values ('a', 'handler_failed', 'boom'), ('b', 'dependency_skipped', null), ('join', 'dependency_skipped', null) $$, 'the reasons');
select is((spec.run_row()).remaining_steps, 2, 'two steps are left');
select spec.complete('beside', '1');
select spec.claim_all('greet');
select spec.complete('free', '2');
select is((select (r.status, r.output)::text from spec.run_row() r), '(completed,"{""free"": 2}")', 'the run completes');

select * from finish();
rollback;
