-- Since when a queue's tasks have been looked at without a gap: the next round looks at what became visible since, and
-- workers of other queues see that nobody recovers this one.
alter table pgflow.recoveries add column recovered_at timestamptz;
