-- A claim of another generation than the deployed one gets nothing.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])], p_generation => 2);
select spec.start('greet');
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, $$ values ('answer', 'stale_generation') $$, 'an earlier one');
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(), 3, 'greet', 10) $$, $$ values ('answer', 'stale_generation') $$, 'a later one');
select is((spec.task('a')).status, 'queued', 'the task is queued');
select ok(spec.hidden_s_of('a') <= 0, 'and its message visible');

select * from finish();
rollback;
