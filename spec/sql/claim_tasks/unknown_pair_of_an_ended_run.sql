-- A message whose run has ended is no reason to stop.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
update pgflow.runs set status = 'failed', failed_at = now();
delete from pgflow.worker_handlers where step_slug = 'b';
select is((select status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'answer'), 'ok', 'the answer');

select * from finish();
rollback;
