-- The guard of a transactional step knows for which claim it was made: it completes no other task.
-- Rows live within their transaction alone, so the table is empty for everybody else.

alter table pgflow.open_transactions
  add column run_id uuid not null,
  add column step_slug text not null,
  add column task_index int not null,
  add column claim_no bigint not null;
