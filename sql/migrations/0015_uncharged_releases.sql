-- What costs no attempt is counted on the task, so that it has a bound.
alter table pgflow.step_tasks
  -- How much speaks for it having ended its executor: each time that it lost one, 2 where nobody could be blamed, 1 where another task was. The host
  -- runs it alone from 4 on, and the next such end is its own. A snooze clears it.
  add column suspicion int not null default 0 check (suspicion >= 0),
  -- How often its handler was run again at no cost, since the connection of its transaction was lost. A snooze clears it.
  add column lost_transactions int not null default 0 check (lost_transactions >= 0);

-- Claims answer both; a release says what it was for, and when the task is visible again.
drop function if exists pgflow.claim_tasks(uuid, bigint, text, int);
drop function if exists pgflow._claim_messages(text, bigint[], uuid);
drop function if exists pgflow.release_tasks(uuid[], text[], int[], bigint[]);
