-- Functions that migrations created search types in pg_catalog before the caller's pg_temp, as all others do. With an empty path a caller's domain
-- pg_temp.text would run the caller's code with the owner's rights.
alter function pgflow.is_valid_slug(text) set search_path = pg_catalog, pg_temp;
alter function pgflow.is_valid_queue_name(text) set search_path = pg_catalog, pg_temp;
alter function pgflow._refuse_queue_change() set search_path = pg_catalog, pg_temp;
alter function pgflow._refuse_commit() set search_path = pg_catalog, pg_temp;
