-- A rollout takes functions that do not exist yet: begin_rollout has grown by a parameter.
drop function if exists pgflow.begin_rollout(text[]);
