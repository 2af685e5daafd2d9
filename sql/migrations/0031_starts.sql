-- Starts are stored for many runs at once.
drop function if exists pgflow._begin_run(uuid, uuid);
drop function if exists pgflow._insert_states(uuid, uuid);
drop function if exists pgflow._check_root_map_input(text, jsonb);
drop function if exists pgflow._check_input_text(jsonb);
