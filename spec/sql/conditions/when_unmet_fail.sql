-- when_unmet = fail fails the step and the run: at the start, and later.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('other'), spec.step('a', p_only_if => '{"ok": true}', p_when_unmet => 'fail'), spec.step('b', '{other}', p_unless => '{"other": 0}', p_when_unmet => 'fail'));
select is((select (r.status, r.error_message, r.error_step_slug)::text from pgflow.start_flow('greet', '{}', spec.run(1)) r), '(failed,"Condition not met",a)', 'the row that comes back');
select is((select (s.status, s.error_message)::text from spec.state('a') s), '(failed,"Condition not met")', 'the step');
select is(spec.messages('greet'), 0::bigint, 'nothing is in the queue');
select spec.start('greet', '{"ok": true}', 2);
select spec.claim_all('greet');
select is(spec.complete('other', '0', 0, 2), 'done', 'the triggering task is recorded');
select is(spec.states(2), '{"other": "completed", "a": "started", "b": "failed"}'::jsonb, 'the step failed');
select is((spec.run_row(2)).status, 'failed', 'and so did the run');
select is((spec.task('a', 0, 2)).status, 'cancelled', 'its other task is cancelled');
select is(spec.messages('greet'), 0::bigint, 'nothing is left in the queue');

select * from finish();
rollback;
