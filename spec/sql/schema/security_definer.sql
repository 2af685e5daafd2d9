-- Public functions run as their owner; private helpers as whoever calls them.
begin;
\ir ../support/fixtures.sql
select plan(2);

select is_empty(
  $$ select h.name from unnest(array['start_flow', 'lock_runs', 'claim_tasks', 'complete_tasks', 'fail_tasks', 'release_tasks', 'worker_heartbeat', 'start_tasks', 'complete_task', 'fail_task',
    'deploy_flows', 'run_input', 'mark_worker_stopped', 'track_worker_function']) h (name)
    left join pg_proc p on p.pronamespace = 'pgflow'::regnamespace and p.proname = h.name where not coalesce(p.prosecdef, false) $$, 'public ones are security definer'
);
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and p.proname like '\_%' and p.prosecdef and p.prorettype <> 'trigger'::regtype $$, 'no private one is, triggers aside');

select * from finish();
rollback;
