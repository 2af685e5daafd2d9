-- Another worker's deployment leaves the first one's handlers alone.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('one', spec.step('a'));
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a')])], p_worker => 2);
select is((select count(*) from pgflow.workers), 2::bigint, 'both are there');
select is((select count(*) from pgflow.worker_handlers), 2::bigint, 'each with its handler');

select * from finish();
rollback;
