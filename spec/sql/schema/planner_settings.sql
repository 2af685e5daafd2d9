-- Every function that the host calls in its hot path has one plan, whatever the statistics say.
begin;
\ir ../support/fixtures.sql
select plan(2);

select is_empty(
  $$ select h.name from unnest(array['start_flow', 'start_flows', 'lock_runs', 'lock_batch', 'claim_tasks', 'complete_tasks', 'fail_tasks', 'release_tasks', 'worker_heartbeat', 'recover_tasks', 'reconcile_claims', 'open_transaction', 'complete_transaction', 'start_tasks', 'complete_task', 'fail_task']) h (name)
    left join pg_proc p on p.pronamespace = 'pgflow'::regnamespace and p.proname = h.name
    where not coalesce(p.proconfig, '{}') @> array['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off', 'enable_indexonlyscan=off', 'jit=off', 'plan_cache_mode=force_generic_plan'] $$,
  'no hot function lacks them'
);

-- A plan that must not read a whole table, and does, has a cost of 1e10 for which the server compiles it: seconds on a busy machine.
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and p.proconfig @> '{enable_seqscan=off}' and not p.proconfig @> '{jit=off}' $$,
  'what forbids to read whole tables is never compiled');

select * from finish();
rollback;
