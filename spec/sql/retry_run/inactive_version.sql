-- A run of an inactive version is retried only where a live worker handles what would run.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.v1(p_retained boolean) returns jsonb language sql as $$
  select spec.flow('order_v1', array[spec.step('a', p_options => '{"maxAttempts": 1}')], p_alias => 'orders', p_retained => p_retained);
$$;
select spec.deploy_registry(array[spec.v1(false)], 'order_v1');
select spec.start('orders');
select spec.claim_all('order_v1');
select spec.fail('a');
select spec.deploy_registry(array[spec.flow('order_v2', array[spec.step('a')], p_alias => 'orders'), spec.v1(true)], 'order_v2', 2);

select is((select flow_slug from pgflow.retry_run(spec.run())), 'order_v1', 'its worker lives: it is retried');
select from pgflow.cancel_run((select run_id from pgflow.runs where restart_of_run_id = spec.run()));
-- A second worker of the queue that has dropped the version: it would stop at the run's first message (I7).
insert into pgflow.workers (worker_id, queue_name, function_name, generation) values (spec.worker(3), 'order_v1', 'spec', 1);
select throws_ok($$ select * from pgflow.retry_run((select run_id from pgflow.runs where restart_of_run_id = spec.run())) $$, '55000', null, 'every worker of the queue must have it');
delete from pgflow.workers where worker_id = spec.worker(3);
update pgflow.workers set stopped_at = now() where worker_id = spec.worker(1);
select throws_ok($$ select * from pgflow.retry_run((select run_id from pgflow.runs where restart_of_run_id = spec.run())) $$, '55000',
  'flow order_v1 is not the active version, and not every live worker of their queues handles its steps a', 'a worker of another queue does not count');
select is((select count(*) from pgflow.runs), 2::bigint, 'nothing was started');

select * from finish();
rollback;
