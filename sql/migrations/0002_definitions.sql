-- Definitions: flows, their steps and dependencies, the queues that deployments made, and aliases.

create table pgflow.flow_aliases (
  flow_alias text primary key constraint alias_is_valid check (pgflow.is_valid_slug(flow_alias)),
  -- The version that new runs of the alias get; null once the alias is retired.
  active_flow_slug text,
  created_at timestamptz not null default now()
);

create table pgflow.flows (
  flow_slug text primary key constraint slug_is_valid check (pgflow.is_valid_slug(flow_slug)),
  -- A flow belongs to exactly one alias for ever.
  flow_alias text not null references pgflow.flow_aliases (flow_alias),
  opt_max_attempts int not null default 3 constraint opt_max_attempts_is_nonnegative check (opt_max_attempts >= 0),
  opt_base_delay int not null default 1 constraint opt_base_delay_is_nonnegative check (opt_base_delay >= 0),
  opt_timeout int not null default 60 constraint opt_timeout_is_positive check (opt_timeout > 0),
  -- Deployed by a worker: the compatibility functions refuse to change it.
  is_deployed boolean not null default false,
  created_at timestamptz not null default now(),
  unique (flow_alias, flow_slug)
);
create unique index flows_lower_flow_slug_key on pgflow.flows (lower(flow_slug));

alter table pgflow.flow_aliases
  add constraint flow_aliases_active_version_fkey
  foreign key (flow_alias, active_flow_slug) references pgflow.flows (flow_alias, flow_slug);

create table pgflow.alias_activations (
  activation_id bigint generated always as identity primary key,
  flow_alias text not null references pgflow.flow_aliases (flow_alias),
  from_flow_slug text,
  to_flow_slug text,
  worker_id uuid,
  activated_at timestamptz not null default now()
);
create index alias_activations_flow_alias_idx on pgflow.alias_activations (flow_alias);

create table pgflow.queues (
  queue_name text primary key constraint queue_name_is_valid check (pgflow.is_valid_queue_name(queue_name)),
  created_at timestamptz not null default now()
);

create table pgflow.steps (
  flow_slug text not null references pgflow.flows (flow_slug),
  step_slug text not null check (pgflow.is_valid_slug(step_slug)),
  step_type text not null default 'single' check (step_type in ('single', 'map')),
  step_index int not null default 0,
  deps_count int not null default 0 check (deps_count >= 0),
  opt_max_attempts int constraint opt_max_attempts_is_nonnegative check (opt_max_attempts >= 0),
  opt_base_delay int constraint opt_base_delay_is_nonnegative check (opt_base_delay >= 0),
  opt_timeout int constraint opt_timeout_is_positive check (opt_timeout > 0),
  opt_start_delay int constraint opt_start_delay_is_nonnegative check (opt_start_delay >= 0),
  required_input_pattern jsonb
    constraint required_input_pattern_is_object check (jsonb_typeof(required_input_pattern) = 'object'),
  forbidden_input_pattern jsonb
    constraint forbidden_input_pattern_is_object check (jsonb_typeof(forbidden_input_pattern) = 'object'),
  when_unmet text not null default 'skip'
    constraint when_unmet_is_valid check (when_unmet in ('fail', 'skip', 'skip-cascade')),
  when_exhausted text not null default 'fail'
    constraint when_exhausted_is_valid check (when_exhausted in ('fail', 'skip', 'skip-cascade')),
  queue_name text not null constraint step_queue_name_is_valid check (pgflow.is_valid_queue_name(queue_name)),
  created_at timestamptz not null default now(),
  primary key (flow_slug, step_slug),
  constraint steps_flow_slug_step_index_key unique (flow_slug, step_index)
);

create table pgflow.deps (
  flow_slug text not null references pgflow.flows (flow_slug),
  dep_slug text not null,
  step_slug text not null,
  created_at timestamptz not null default now(),
  primary key (flow_slug, dep_slug, step_slug),
  constraint deps_flow_slug_dep_slug_fkey
    foreign key (flow_slug, dep_slug) references pgflow.steps (flow_slug, step_slug),
  constraint deps_flow_slug_step_slug_fkey
    foreign key (flow_slug, step_slug) references pgflow.steps (flow_slug, step_slug),
  constraint deps_check check (dep_slug <> step_slug)
);
create index deps_flow_slug_step_slug_idx on pgflow.deps (flow_slug, step_slug);
