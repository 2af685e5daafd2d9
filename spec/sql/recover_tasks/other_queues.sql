-- Only tasks of the worker's own queue are looked at, and only started ones.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('one', spec.step('a'), spec.step('b'), spec.step('c'));
select spec.deploy_registry(array[spec.flow('two', array[spec.step('a')])], p_worker => 2);
select spec.start('one');
select spec.claim('one', 2);
select spec.complete('a', '1');
select spec.fail('b');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker()) $$, 'completed, waiting for a retry, queued');
select spec.claim('one');
select spec.age_claim('c', interval '91 seconds');
select is_empty($$ select * from pgflow.recover_tasks(spec.worker(2)) $$, 'another queue''s worker');
select is((select count(*) from pgflow.recover_tasks(spec.worker())), 1::bigint, 'its own');

select * from finish();
rollback;
