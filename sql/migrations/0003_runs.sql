-- What happens at run time: runs, step states and tasks. No index here mentions a column that changes while a run is
-- under way, so that updates stay HOT; only definitions and runs carry foreign keys, which would multiply the cost of a task.

create table pgflow.runs (
  run_id uuid primary key default gen_random_uuid(),
  flow_slug text not null constraint runs_flow_slug_fkey references pgflow.flows (flow_slug),
  status text not null default 'started' check (status in ('started', 'completed', 'failed', 'cancelled')),
  input jsonb not null,
  output jsonb,
  remaining_steps int not null default 0 check (remaining_steps >= 0),
  started_at timestamptz not null default now(),
  completed_at timestamptz,
  failed_at timestamptz,
  flow_alias text not null,
  -- The name that the caller gave: the alias, or the slug of its active version.
  started_as text not null,
  error_message text,
  error_step_slug text,
  cancelled_at timestamptz,
  idempotency_key text,
  restart_of_run_id uuid,
  constraint runs_have_one_end check (num_nonnulls(completed_at, failed_at, cancelled_at) <= 1),
  constraint completed_at_is_after_started_at check (completed_at >= started_at),
  constraint failed_at_is_after_started_at check (failed_at >= started_at),
  constraint cancelled_at_is_after_started_at check (cancelled_at >= started_at)
) with (fillfactor = 50);
create index runs_flow_slug_idx on pgflow.runs (flow_slug);
create index runs_started_at_idx on pgflow.runs (started_at);
create unique index runs_idempotency_key on pgflow.runs (flow_alias, idempotency_key) where idempotency_key is not null;

create table pgflow.step_states (
  flow_slug text not null,
  run_id uuid not null,
  step_slug text not null,
  status text not null default 'created'
    constraint status_is_valid check (status in ('created', 'started', 'completed', 'failed', 'skipped')),
  -- Null until the step starts, and once it is skipped.
  remaining_tasks int check (remaining_tasks >= 0),
  -- Null while the length of the array that a map reads is unknown.
  initial_tasks int check (initial_tasks >= 0),
  remaining_deps int not null default 0 check (remaining_deps >= 0),
  output jsonb,
  error_message text,
  skip_reason text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  skipped_at timestamptz,
  primary key (run_id, step_slug),
  constraint completed_has_no_remaining_tasks check (status <> 'completed' or remaining_tasks = 0),
  constraint remaining_tasks_is_of_started_steps check (remaining_tasks is null or status not in ('created', 'skipped')),
  constraint started_has_initial_tasks check (status <> 'started' or initial_tasks is not null),
  constraint output_is_of_completed_steps check (output is null or status = 'completed'),
  constraint skip_reason_is_of_skipped_steps check ((status = 'skipped') = (skip_reason is not null)),
  constraint step_states_have_one_end check (num_nonnulls(completed_at, failed_at, skipped_at) <= 1),
  constraint started_at_is_after_created_at check (started_at >= created_at),
  constraint skipped_at_is_after_created_at check (skipped_at >= created_at),
  constraint completed_at_is_after_started_at check (completed_at >= started_at),
  constraint failed_at_is_after_started_at check (failed_at >= started_at)
) with (fillfactor = 70);

create table pgflow.step_tasks (
  flow_slug text not null,
  run_id uuid not null,
  step_slug text not null,
  message_id bigint,
  task_index int not null default 0,
  status text not null default 'queued' constraint valid_status
    check (status in ('queued', 'started', 'completed', 'failed', 'skipped', 'cancelled')),
  -- Serves retries and ctx.attempt: a claim counts it, a release gives it back.
  attempts_count int not null default 0 check (attempts_count >= 0),
  error_message text,
  output jsonb,
  queued_at timestamptz not null default now(),
  started_at timestamptz,
  completed_at timestamptz,
  failed_at timestamptz,
  last_worker_id uuid,
  requeued_count int not null default 0,
  last_requeued_at timestamptz,
  permanently_stalled_at timestamptz,
  -- Where the message lives: the step's queue at the task's birth, for ever.
  queue_name text not null,
  -- The fence: grows by one at every claim and never shrinks.
  claim_no bigint not null default 0,
  -- The claim whose outcome (completed, failed, snoozed) was the last one recorded.
  settled_claim_no bigint,
  -- The effective timeout of the current claim, in seconds.
  claimed_timeout int,
  requeued_dead_count int not null default 0,
  -- A map task's own element; null for single steps, whose input is made from their dependencies.
  input jsonb,
  primary key (run_id, step_slug, task_index),
  constraint output_is_of_ended_tasks check (output is null or status in ('completed', 'failed')),
  constraint step_tasks_have_one_end check (num_nonnulls(completed_at, failed_at) <= 1),
  constraint started_at_is_after_queued_at check (started_at >= queued_at),
  constraint completed_at_is_after_queued_at check (completed_at >= queued_at),
  constraint failed_at_is_after_queued_at check (failed_at >= queued_at)
) with (fillfactor = 50);
create unique index step_tasks_queue_name_message_id_key on pgflow.step_tasks (queue_name, message_id)
  where message_id is not null;

create function pgflow._refuse_queue_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'the queue of task % of step % in run % is a snapshot and cannot change from % to %',
    old.task_index, old.step_slug, old.run_id, old.queue_name, new.queue_name
    using errcode = 'check_violation';
end;
$$;

create trigger step_tasks_queue_name_is_immutable
  before update of queue_name on pgflow.step_tasks
  for each row when (old.queue_name is distinct from new.queue_name)
  execute function pgflow._refuse_queue_change();

-- What a worker gets for one task. Positional users exist: the order matters, new fields go last.
create type pgflow.step_task_record as (
  flow_slug text,
  run_id uuid,
  step_slug text,
  input jsonb,
  msg_id bigint,
  task_index int,
  flow_input jsonb
);
