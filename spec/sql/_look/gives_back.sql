-- Whoever looks at every queue holds the locks of none of them afterwards.
begin;
\ir ../support/fixtures.sql
select plan(10);

select count(d.flow_slug) from generate_series(1, 5) n, spec.deploy_registry(array[spec.flow('q' || n, array[spec.step('a')])], p_worker => n, p_function => 'f' || n) d;
-- The locks of those who only look, on indexes of queues: the transaction of this spec, which made the queues, holds others of their tables.
create function spec.looks() returns bigint language sql as $$
  select count(*) from pg_locks l join pg_class c on c.oid = l.relation
  where l.pid = pg_backend_pid() and c.relnamespace = 'pgmq'::regnamespace and c.relname like 'q\_q_%' and c.relkind = 'i' and l.mode = 'AccessShareLock';
$$;
create function spec.looks_after(p_statement text) returns bigint language plpgsql as $$
begin
  execute p_statement;
  return spec.looks();
end;
$$;
select is(spec.looks(), 0::bigint, 'none so far');
select is(spec.looks_after('select * from pgflow.queue_status'), 0::bigint, 'queue_status');
select is(spec.looks_after('select * from pgflow.worker_tasks()'), 0::bigint, 'worker_tasks');
select is(spec.looks_after('select * from pgflow.flow_versions'), 0::bigint, 'flow_versions');
select is(spec.looks_after('select * from pgflow.check_invariants()'), 0::bigint, 'check_invariants');
select is(spec.looks_after('select * from pgflow.check_invariants(true)'), 0::bigint, 'in full');
select is(spec.looks_after($$ select * from pgflow.begin_rollout('{f1,f2}') $$) + spec.looks_after('select * from pgflow.rollout_status()'), 0::bigint, 'rollout_status');
update pgflow.workers set stopped_at = now(), last_heartbeat_at = now() - interval '1 day';
select is(spec.looks_after($$ select pgflow.prune_data_older_than('1 hour') $$), 0::bigint, 'workers that are forgotten');
select is((select count(*) from pgflow.workers), 0::bigint, 'they are gone');
select isnt(spec.looks_after('select count(*) from pgmq.q_q1'), 0::bigint, 'a plain look keeps its lock');

select * from finish();
rollback;
