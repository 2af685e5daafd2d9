-- Nulls become 3 attempts, 5 s base delay and 60 s; the queue and an active alias of the same name come with the flow.
begin;
\ir ../support/fixtures.sql
select plan(6);

select is(
  (select (f.flow_slug, f.flow_alias, f.opt_max_attempts, f.opt_base_delay, f.opt_timeout)::text from pgflow.create_flow('Greet') f),
  '(Greet,Greet,3,5,60)', 'the row has the defaults'
);
select is(spec.messages('greet'), 0::bigint, 'the queue is there, in lower case');
select is((select active_flow_slug from pgflow.flow_aliases where flow_alias = 'Greet'), 'Greet', 'the alias is active');
select is((select count(*) from pgflow.queues where queue_name = 'greet'), 1::bigint, 'the queue is recorded as ours');
select is((select f.opt_timeout from pgflow.create_flow('other', 7, 0, 9) f), 9, 'options that are given are stored');
select lives_ok($$ select pgflow.start_flow('Greet', '{}') $$, 'the flow can be started');

select * from finish();
rollback;
