-- Every access on the path of a task is by a full key, whatever the statistics say, and a claim's answer is bounded.

-- A partial index is a way to all its rows: where the table was empty when a statement was planned, the planner took it. Unset ids do not collide.
create unique index step_tasks_message_key on pgflow.step_tasks (queue_name, message_id);
drop index pgflow.step_tasks_queue_name_message_id_key;
alter index pgflow.step_tasks_message_key rename to step_tasks_queue_name_message_id_key;

-- An index that begins with a part of a definition's key is as cheap as the key while there are few definitions, and reads all of a flow, or of all flows, when there are many.
alter table pgflow.steps drop constraint steps_flow_slug_step_index_key;
alter table pgflow.flow_aliases drop constraint flow_aliases_active_version_fkey;
alter table pgflow.flows drop constraint flows_flow_alias_flow_slug_key;
alter table pgflow.flows add constraint flows_flow_alias_flow_slug_key unique (flow_slug, flow_alias);
alter table pgflow.flow_aliases
  add constraint flow_aliases_active_version_fkey
  foreign key (active_flow_slug, flow_alias) references pgflow.flows (flow_slug, flow_alias);

-- The longest effective timeout of the steps that a worker handles, in seconds, when it deployed: a claim hides what it reads for that long.
alter table pgflow.workers add column longest_timeout int;

-- Its arguments and its answer have changed.
drop function if exists pgflow.claim_tasks(uuid, bigint, text, int);
