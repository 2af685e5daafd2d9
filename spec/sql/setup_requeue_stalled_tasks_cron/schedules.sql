-- With pg_cron the job is scheduled under its name; without, the error says what else recovers stalled tasks.
begin;
\ir ../support/fixtures.sql
select plan(6);

select throws_ok($$ select pgflow.setup_requeue_stalled_tasks_cron() $$, '42704', 'nothing was scheduled: this database has no pg_cron that can be trusted', 'without pg_cron');
create schema cron;
create table cron.jobs (name text primary key, interval text, command text);
create function cron.schedule(job_name text, schedule text, command text) returns bigint language sql as $$
  insert into cron.jobs values (job_name, schedule, command)
  on conflict (name) do update set interval = excluded.interval, command = excluded.command
  returning 7::bigint
$$;
select is(pgflow.setup_requeue_stalled_tasks_cron(), 'Scheduled pgflow_requeue_stalled_tasks (every 15 seconds, job_id=7)', 'the default');
select is(pgflow.setup_requeue_stalled_tasks_cron('1 minute'), 'Scheduled pgflow_requeue_stalled_tasks (every 1 minute, job_id=7)', 'another interval');
select results_eq('select * from cron.jobs', $$ values ('pgflow_requeue_stalled_tasks', '1 minute', 'select pgflow.requeue_stalled_tasks()') $$, 'one job');
create role spec_stranger;
grant create on schema cron to spec_stranger;
alter function cron.schedule(text, text, text) owner to spec_stranger;
select throws_ok($$ select pgflow.setup_requeue_stalled_tasks_cron() $$, '42704', null, 'code of a role that is not trusted is not run');
select is(spec.outcome_as('pgflow_compat', $$ select pgflow.setup_requeue_stalled_tasks_cron() $$), '42501', 'owner only');

select * from finish();
rollback;
