-- The files of luaflow dev: what a worker has read last of them, and when, so that older files do not come after newer
-- ones. read_till: on a clock of the machine, in ms. digest: of the registries of all queues.
alter table pgflow.workers
  add column files_read_till bigint,
  add column files_digest text;

-- They have further arguments, or columns.
drop function if exists pgflow.deploy_files(uuid, text, text, jsonb, bigint, jsonb, text[]);
drop function if exists pgflow._flow_differences(jsonb);
drop function if exists pgflow._lock_holder(text, text);
