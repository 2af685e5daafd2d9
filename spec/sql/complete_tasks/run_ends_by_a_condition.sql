-- A completion that fails its run by a condition leaves nothing of the run active, also what else the batch brings.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.step('b'), spec.step('c'), spec.step('after_b', '{b}'), spec.step('strict', '{a}', p_only_if => '{"a": 1}', p_when_unmet => 'fail'));
select spec.start('greet');
select spec.claim_all('greet');
select is((spec.complete_batch('{1,1}', '{b,a}', '{0,0}', array['3', '2']::jsonb[]))[2], 'done', 'the completion itself is recorded');
select is((select (r.status, r.error_step_slug, r.error_message)::text from spec.run_row() r), '(failed,strict,"Condition not met")', 'the run failed');
select is((select count(*) from pgflow.step_tasks where status in ('queued', 'started')), 0::bigint, 'no task is active');
select is(spec.messages('greet'), 0::bigint, 'the queue is empty');

select * from finish();
rollback;
