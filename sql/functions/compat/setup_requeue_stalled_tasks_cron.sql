-- setup_requeue_stalled_tasks_cron(cron_interval) -> what it has scheduled: pg_cron's job pgflow_requeue_stalled_tasks,
-- which calls requeue_stalled_tasks, or the job's new interval. For databases without workers of luaflow, which recover
-- on their own. Owner only. Raises undefined_object if the database has no pg_cron, or one whose function belongs to a
-- role that is not trusted.
create or replace function pgflow.setup_requeue_stalled_tasks_cron(cron_interval text default '15 seconds') returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_job_id bigint;
begin
  if to_regnamespace('cron') is null or not exists (
    select from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where p.oid = to_regprocedure('cron.schedule(text, text, text)') and pgflow._is_trusted_role(p.proowner) and pgflow._is_trusted_role(n.nspowner)
  ) then
    raise exception 'nothing was scheduled: this database has no pg_cron that can be trusted' using errcode = 'undefined_object',
      hint = 'create extension pg_cron as a superuser; or have another scheduler run select pgflow.requeue_stalled_tasks() every 15 seconds; '
        'or start a worker of luaflow in this database: it recovers all queues';
  end if;
  execute 'select cron.schedule($1, $2, $3)'
    using 'pgflow_requeue_stalled_tasks', setup_requeue_stalled_tasks_cron.cron_interval, 'select pgflow.requeue_stalled_tasks()'
    into v_job_id;
  return format('Scheduled pgflow_requeue_stalled_tasks (every %s, job_id=%s)', setup_requeue_stalled_tasks_cron.cron_interval, v_job_id);
end;
$$;
