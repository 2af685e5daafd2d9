-- open_transaction also takes what is left of the attempt's time.
drop function if exists pgflow.open_transaction(uuid, text, int, bigint);

-- The last time that events could not be sent; one row. What they were to tell went on without them.
create table pgflow.event_failures (
  singleton boolean primary key default true check (singleton),
  failed_at timestamptz not null default '-infinity',
  message text not null default ''
);
insert into pgflow.event_failures default values;

-- Results that a worker has and the database does not take: since when, how many there were, and the error. Null while there are none.
alter table pgflow.workers
  add column unrecorded_since timestamptz,
  add column unrecorded_count int,
  add column unrecorded_error text;
