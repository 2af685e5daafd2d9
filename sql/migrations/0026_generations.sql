-- What old generations of a worker still hold, as the worker reports it; worker_status shows it.
drop function if exists pgflow.worker_status(boolean);
drop function if exists pgflow._registry_aliases(uuid, text, jsonb);

create table pgflow.old_generations (
  worker_id uuid not null references pgflow.workers (worker_id) on delete cascade,
  generation bigint not null,
  executors int not null,
  tasks int not null,
  oldest_since timestamptz not null,
  -- When the last of its tasks runs into its timeout.
  deadline timestamptz not null,
  memory bigint not null,
  primary key (worker_id, generation)
);
