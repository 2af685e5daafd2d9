-- doctor_disk() -> one finding (level, message, hint): whether the server can write 1.5 MB to the disk of this database,
-- in a temporary file that it deletes again. Takes no locks and needs no rights.
create or replace function pgflow.doctor_disk() returns table (level text, message text, hint text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set work_mem = '64kB'
set temp_tablespaces = ''
as $$
begin
  perform count(*) from generate_series(1, 100000);
  return query select 'ok', 'the disk of the database has room', null::text;
exception when disk_full then
  return query select 'problem', format('the disk of the database is full: %s', sqlerrm),
    'make room on the server''s disk; until then nothing can be written, and workers keep their results in memory';
end;
$$;
