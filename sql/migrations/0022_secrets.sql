-- What a step's transaction is opened with: a secret of its claim, which handlers do not know. claim_tasks tells it, open_transaction takes it.
drop function if exists pgflow.claim_tasks(uuid, bigint, text, int, int);
drop function if exists pgflow.open_transaction(uuid, text, int, bigint, bigint);

-- The key that those secrets are made with; one row, which no role but the owner reads.
create table pgflow.transaction_keys (
  only_row boolean primary key default true constraint transaction_keys_has_one_row check (only_row),
  key bytea not null default decode(replace(concat(gen_random_uuid(), gen_random_uuid()), '-', ''), 'hex')
);
insert into pgflow.transaction_keys default values;
