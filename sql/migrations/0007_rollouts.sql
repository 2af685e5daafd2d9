-- The record of a rollout, so that it can be resumed from anywhere: which functions it disabled, and which of them were enabled before.

create table pgflow.rollouts (
  rollout_id bigint generated always as identity primary key,
  begun_at timestamptz not null default now(),
  finished_at timestamptz
);
create unique index rollouts_one_is_open on pgflow.rollouts ((finished_at is null)) where finished_at is null;

create table pgflow.rollout_functions (
  rollout_id bigint not null references pgflow.rollouts (rollout_id),
  function_name text not null references pgflow.worker_functions (function_name),
  was_enabled boolean not null,
  primary key (rollout_id, function_name)
);
