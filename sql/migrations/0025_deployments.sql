-- What a deployment knows: execution semantics as part of the shape, changes of options, and the answers to workers
-- that wait behind the fence.

-- Null: stored by a program that did not compare it; the next deployment of the flow stores it.
alter table pgflow.steps
  add column kind text constraint kind_is_valid check (kind in ('single', 'array', 'map')),
  add column is_transactional boolean;

-- Changes of runtime options by deployments. A step's value that is null is the flow's.
create table pgflow.option_changes (
  change_id bigint generated always as identity primary key,
  flow_slug text not null references pgflow.flows (flow_slug) on delete cascade,
  -- Null: the flow's own option.
  step_slug text,
  option text not null constraint option_is_valid check (option in ('max_attempts', 'base_delay', 'timeout', 'start_delay')),
  from_value int,
  to_value int,
  -- As people read it: "orders.pay: timeout 99 -> 10 s".
  change text not null,
  function_name text not null,
  worker_id uuid not null,
  changed_at timestamptz not null default now()
);
create index option_changes_flow_slug_idx on pgflow.option_changes (flow_slug);

-- Workers that wait because their function is disabled, or they are deprecated. They consume nothing and have no row in
-- pgflow.workers.
create table pgflow.fenced_workers (
  worker_id uuid primary key,
  queue_name text not null,
  function_name text not null,
  since timestamptz not null default clock_timestamp(),
  last_heartbeat_at timestamptz not null default clock_timestamp(),
  -- Why it may not deploy, and the rows that its deployment would be answered with now.
  reason text not null,
  answer jsonb not null
);

-- A row of the answer of deploy_flows and preview_deployment: see there.
create type pgflow.deployment_answer as (
  flow_slug text,
  status text,
  alias_status text,
  differences text[],
  message text,
  lacking_workers jsonb
);
revoke usage on type pgflow.deployment_answer from public;

drop function if exists
  pgflow._insert_step(text, text, text, text[], text, int, int, int, int, jsonb, jsonb, text, text),
  pgflow._option_changes(text, jsonb),
  pgflow._update_runtime_options(text, jsonb),
  pgflow._store_flow(jsonb, text),
  pgflow._select_version(jsonb, jsonb, uuid),
  pgflow._reachable_pairs(text),
  pgflow.preview_deployment(jsonb),
  pgflow.deploy_flows(uuid, text, text, jsonb, bigint);
