-- What a waiting worker's deployment would answer is found out again when it is older than 5 s.
alter table pgflow.fenced_workers add column answered_at timestamptz not null default clock_timestamp();

-- It also counts the workers that wait, and shows those whose deployment would be refused.
drop function if exists pgflow.rollout_status();
