-- What functions hand each other: arrays of one of these types, null or empty if there is nothing. sql/README says
-- which is what.

-- A row of the answer of claim_tasks: see there.
create type pgflow.claim_row as (
  kind text,
  status text,
  next_visible_ms bigint,
  more boolean,
  flow_slug text,
  run_id uuid,
  step_slug text,
  task_index int,
  msg_id bigint,
  claim_no bigint,
  attempt int,
  max_attempts int,
  timeout_s int,
  input text,
  is_root boolean,
  suspicion int,
  lost_transactions int,
  secret text,
  bytes int
);

-- One result of a batch, at its position, and what becomes of it (_judge_callbacks). The message, the delay and the
-- flags are a failure's (fail_tasks).
create type pgflow.callback as (
  ordinal int,
  run_id uuid,
  step_slug text,
  task_index int,
  claim_no bigint,
  message text,
  delay float8,
  is_permanent boolean,
  is_free boolean,
  verdict text
);

create type pgflow.task_key as (
  run_id uuid,
  step_slug text,
  task_index int
);

-- A task that recovery moves: the reason is that of _stall_reason, the outcome 'requeued' or 'failed'.
create type pgflow.stalled_task as (
  run_id uuid,
  step_slug text,
  task_index int,
  reason text,
  outcome text
);

-- A task that is about to be stored, and how long its message is hidden, in seconds.
create type pgflow.new_task as (
  queue_name text,
  start_delay int,
  flow_slug text,
  run_id uuid,
  step_slug text,
  task_index int,
  input jsonb
);

create type pgflow.step_key as (
  run_id uuid,
  step_slug text
);

-- What is to happen to a step: 'start' or 'empty' (_judge_ready_steps), or 'fail', 'skip', 'skip-cascade', with the
-- message that it gets then.
create type pgflow.step_verdict as (
  run_id uuid,
  step_slug text,
  verdict text,
  error_message text
);

-- A message, and the instant at which it is to become visible, where it is (_set_visibility).
create type pgflow.message as (
  queue_name text,
  message_id bigint,
  visible_at timestamptz
);

-- Only the owner's functions need a right to types: whoever may call a function reads its rows without one.
revoke usage on type
  pgflow.claim_row, pgflow.callback, pgflow.task_key, pgflow.stalled_task, pgflow.new_task, pgflow.step_key, pgflow.step_verdict, pgflow.message,
  pgflow.deployment_check, pgflow.step_task_record
from public;

-- These took arrays position by position, or answered with columns of their own.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid::regprocedure from pg_catalog.pg_proc p
    where p.pronamespace = 'pgflow'::regnamespace and p.proname in (
      '_advance_steps', '_archive_messages', '_batch_rounds', '_claim_messages', '_claim_within', '_count_down_dependents', '_count_down_tasks',
      '_delete_messages', '_end_exhausted_tasks', '_end_ready_steps', '_end_stalled_transactions', '_fail_stalled_tasks', '_fail_steps',
      '_fail_unclaimed_tasks', '_find_type_violations', '_judge_callbacks', '_judge_failures', '_judge_ready_steps', '_merge_round', '_new_tasks',
      '_pick_round', '_record_completions', '_record_failures', '_record_type_violations', '_recover_queue', '_recover_stalled_tasks',
      '_requeue_failed_tasks', '_requeue_stalled_tasks', '_resend_lost_messages', '_resend_messages', '_send_step_events', '_set_visibility',
      '_settle_duplicates', '_show_messages', '_skip_steps', '_start_steps', 'claim_tasks'
    )
  loop
    execute format('drop function %s', v_function);
  end loop;
end;
$$;
