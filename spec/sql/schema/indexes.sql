-- No index on tasks or step states mentions a column that changes, so updates of them can be HOT.
begin;
\ir ../support/fixtures.sql
select plan(2);

select is_empty(
  $$ select i.indexrelid::regclass, a.attname
    from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid
    where i.indrelid in ('pgflow.step_tasks'::regclass, 'pgflow.step_states'::regclass)
      and a.attname in ('status', 'remaining_tasks', 'initial_tasks', 'remaining_deps', 'attempts_count', 'claim_no', 'last_worker_id', 'started_at', 'completed_at', 'failed_at', 'skipped_at', 'queued_at', 'error_message', 'output')
      and (a.attnum = any (i.indkey) or pg_get_expr(i.indpred, i.indrelid) ~ ('\m' || a.attname || '\M')) $$,
  'none does'
);
select is_empty($$ select conname from pg_constraint where contype = 'f' and conrelid in ('pgflow.step_tasks'::regclass, 'pgflow.step_states'::regclass) $$, 'and neither has a foreign key');

select * from finish();
rollback;
