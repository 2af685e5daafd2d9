-- Workers, what each of them can handle, and the operator's fence.

create table pgflow.worker_functions (
  function_name text primary key,
  enabled boolean not null default true,
  debounce interval not null default interval '6 seconds' check (debounce >= interval '1 second'),
  last_invoked_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table pgflow.workers (
  worker_id uuid primary key,
  queue_name text not null,
  function_name text not null,
  started_at timestamptz not null default now(),
  deprecated_at timestamptz,
  stopped_at timestamptz,
  last_heartbeat_at timestamptz not null default now(),
  -- Since when no two heartbeats were more than 6 s apart.
  unbroken_since timestamptz not null default now(),
  -- The load of the Lua modules that serves now; a claim by any other is refused.
  generation bigint not null default 0
) with (fillfactor = 50);
create index workers_queue_name_idx on pgflow.workers (queue_name);

create table pgflow.worker_handlers (
  worker_id uuid not null references pgflow.workers (worker_id) on delete cascade,
  flow_slug text not null,
  step_slug text not null,
  primary key (worker_id, flow_slug, step_slug)
);

-- What a deployment would do with one flow of a registry.
create type pgflow.deployment_check as (
  flow_slug text,
  status text,
  differences text[],
  message text
);
