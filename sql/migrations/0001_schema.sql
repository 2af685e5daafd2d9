-- The schema, its own record of migrations, and the predicates that tables need before they exist.

create schema pgflow;
revoke all on schema pgflow from public;
comment on schema pgflow is 'Durable workflows: definitions, state and functions of luaflow.';

create table pgflow.migrations (
  version int primary key,
  name text not null,
  checksum text not null,
  -- The oldest program that still works with the schema once this migration is applied.
  oldest_program text not null,
  applied_at timestamptz not null default now()
);

create table pgflow.settings (
  only_row boolean primary key default true constraint settings_has_one_row check (only_row),
  installation_id uuid not null default gen_random_uuid(),
  -- Written by `luaflow dev` alone: flows may be recreated together with their data.
  development boolean not null default false
);
insert into pgflow.settings default values;

-- True for a name that a flow or a step may have: a letter or underscore, then letters, digits and underscores, at most
-- 128 characters, and not the reserved word `run`.
create function pgflow.is_valid_slug(slug text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(slug ~ '^[a-zA-Z_][a-zA-Z0-9_]*$' and length(slug) <= 128 and slug <> 'run', false);
$$;

-- True for a canonical queue name: lower case, at most the 47 characters that PGMQ allows.
create function pgflow.is_valid_queue_name(queue_name text) returns boolean
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(queue_name ~ '^[a-z_][a-z0-9_]*$' and length(queue_name) <= 47, false);
$$;
