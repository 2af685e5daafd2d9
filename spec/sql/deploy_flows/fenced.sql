-- A disabled function's worker deploys nothing. It leaves a row with what its deployment would answer now, and is not a consumer of its queue.
begin;
\ir ../support/fixtures.sql
select plan(19);

insert into pgflow.worker_functions (function_name, enabled) values ('spec', false);
create function spec.ask(p_type text default 'single') returns table (flow_slug text, status text) language sql as $$
  select flow_slug, status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_type => p_type)])]);
$$;
create function spec.forget_answer() returns void language sql as $$ update pgflow.fenced_workers set answered_at = answered_at - interval '6 seconds'; $$;
create temp table before as select spec.definitions() as definitions;
select results_eq($$ select * from spec.ask() $$, $$ values ('greet', 'fenced') $$, 'the answer');
select is(spec.definitions(), (select definitions from before), 'nothing was stored, no queue, no worker');
select is((select enabled from pgflow.worker_functions), false, 'the function stays disabled');
select results_eq($$ select worker_id, queue_name, function_name, reason, answer #>> '{0,status}', answer #>> '{0,alias_status}' from pgflow.fenced_workers $$,
  $$ values (spec.worker(), 'greet', 'spec', 'worker function spec is disabled', 'created', 'activated') $$, 'its row');
select results_eq($$ select state, generation, tasks_in_flight, troubles #>> '{0,message}' from pgflow.worker_status(false) $$,
  $$ values ('fenced', null::bigint, 0::bigint, 'worker function spec is disabled') $$, 'as people see it');
select is((select live_workers from pgflow.worker_function_status()), 0::bigint, 'it is not a live worker');
select throws_like($$ select pgflow.forget_worker_function('spec') $$, '%still has live workers%', 'but its function is not forgotten under it');

-- Another worker's deployment changes what it would be answered.
select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])], p_worker => 2, p_function => 'other');
select is((select live_workers from pgflow.queue_figures('greet')), 1, 'the queue has one consumer');
select spec.ask('map');
select is((select answer #>> '{0,status}' from pgflow.fenced_workers), 'created', 'an answer is kept for 5 s');
select spec.forget_answer();
select spec.ask('map');
select is((select count(*)::int from pgflow.fenced_workers), 1, 'one row');
select is((select troubles #>> '{0,message}' from pgflow.worker_status(false) where state = 'fenced'),
  'worker function spec is disabled; its deployment would be refused: greet: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug: '
    'Step at index 0: kind: in the modules ''map'', in the database ''single''', 'then what it would be answered now');
create role spec_foreigner;
grant create on schema pgmq to spec_foreigner;
select spec.forget_answer();
select is((select array_agg(status) from spec.ask()), '{fenced}', 'a fault of trust does not end it');
select matches((select troubles #>> '{0,message}' from pgflow.worker_status(false) where state = 'fenced'), 'would be refused: greet: queue_conflict', 'it is what it would be answered');
revoke create on schema pgmq from spec_foreigner;

-- Silent, stopped, enabled.
update pgflow.fenced_workers set last_heartbeat_at = last_heartbeat_at - interval '31 seconds';
select is_empty($$ select from pgflow.worker_status(true) where state = 'fenced' $$, 'one that has been silent for 30 s waits no longer');
select spec.ask();
select pgflow.mark_worker_stopped(spec.worker());
select is_empty('select from pgflow.fenced_workers', 'stopped, it leaves none');
select spec.ask();
update pgflow.worker_functions set enabled = true;
select is((select status from spec.ask()), 'verified', 'enabled, it deploys');
select is_empty('select from pgflow.fenced_workers', 'and no longer waits');

-- One that runs and reloads while its function is disabled.
update pgflow.worker_functions set enabled = false;
select is((select status from spec.ask()), 'fenced', 'a reload');
select is_empty('select from pgflow.fenced_workers', 'does not make it a waiting worker');

select * from finish();
rollback;
