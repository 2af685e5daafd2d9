-- A worker that is missing, deprecated, stopped or of another queue gets nothing.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'));
select spec.deploy_registry(array[spec.flow('other', array[spec.step('a')])], p_worker => 2);
select spec.start('greet');
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(9), 1, 'greet', 10) $$, $$ values ('answer', 'unknown_worker') $$, 'missing');
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(2), 1, 'greet', 10) $$, $$ values ('answer', 'not_subscribed') $$, 'of another queue');
update pgflow.workers set deprecated_at = now();
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, $$ values ('answer', 'not_subscribed') $$, 'deprecated');
update pgflow.workers set deprecated_at = null;
select pgflow.mark_worker_stopped(spec.worker());
select results_eq($$ select kind, status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$, $$ values ('answer', 'not_subscribed') $$, 'stopped');
select is((spec.task('a')).status, 'queued', 'the task is queued');
select ok(spec.hidden_s_of('a') <= 0, 'and its message visible');

select * from finish();
rollback;
