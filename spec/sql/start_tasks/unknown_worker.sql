-- The worker has to exist.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select throws_ok(format($$ select pgflow.start_tasks('greet', array[%s], spec.worker(7)) $$, (spec.task('a')).message_id), '23503', null, 'a foreign key violation');
select is((spec.task('a')).status, 'queued', 'nothing is claimed');

select * from finish();
rollback;
