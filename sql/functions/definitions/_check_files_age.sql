-- Raises serialization_failure if another live worker of luaflow dev has deployed other files and had not read all of
-- them before that time: these may be older, and would delete what the newer ones have brought. The worker reads again.
create or replace function pgflow._check_files_age(p_worker_id uuid, p_registries jsonb, p_read_from bigint) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  if exists (
    select from pgflow.workers w
    where w.worker_id <> p_worker_id and w.files_read_till > p_read_from and w.files_digest <> md5(p_registries::text) and pgflow._is_alive(w)
  ) then
    raise exception 'the files may be older than those that another worker has deployed: they are read again'
      using errcode = 'serialization_failure';
  end if;
end;
$$;
