-- A worker that ends is stopped once, by the clock; an unknown one is no error.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select pgflow.mark_worker_stopped(spec.worker());
select ok((select stopped_at >= now() from pgflow.workers), 'stopped');
update pgflow.workers set stopped_at = now() - interval '1 hour';
select pgflow.mark_worker_stopped(spec.worker());
select is((select stopped_at from pgflow.workers), now() - interval '1 hour', 'a second call changes nothing');
select lives_ok($$ select pgflow.mark_worker_stopped(spec.worker(9)) $$, 'unknown');

select * from finish();
rollback;
