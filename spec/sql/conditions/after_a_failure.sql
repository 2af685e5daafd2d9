-- A skip after a failure is followed by the conditions of what waits for it.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'), spec.step('b', '{a}', p_only_if => '{"a": 1}', p_when_unmet => 'fail'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', 'boom'), 'done', 'the answer');
select is(spec.states(), '{"a": "skipped", "b": "failed"}'::jsonb, 'the states');
select is((select (r.status, r.error_message, r.error_step_slug)::text from spec.run_row() r), '(failed,"Condition not met",b)', 'the run');
select is(spec.messages('greet'), 0::bigint, 'the queue is empty');

select * from finish();
rollback;
