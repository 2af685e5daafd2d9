-- doctor_disk() -> findings (level, message, hint): whether the server can write 1.5 MB to each tablespace that holds
-- the database or a table of luaflow, in a temporary file that it deletes again. Other places, such as the folder of the
-- log of writes, are not looked at. Takes no locks and needs no rights.
create or replace function pgflow.doctor_disk() returns table (level text, message text, hint text)
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set work_mem = '64kB'
set temp_tablespaces = ''
as $$
declare
  v_space record;
  v_written text[] := '{}';
  v_hidden text[] := '{}';
  v_faulty boolean := false;
begin
  for v_space in
    select t.spcname as name, t.oid = d.dattablespace as is_default
    from pg_database d
    join pg_tablespace t on t.oid = d.dattablespace or t.oid in (
      select c.reltablespace from pg_class c where c.relnamespace in (to_regnamespace('pgflow'), to_regnamespace('pgmq'))
    )
    where d.datname = current_database() and t.spcname <> 'pg_global'
    order by is_default desc, name
  loop
    begin
      perform set_config('temp_tablespaces', case when v_space.is_default then '' else quote_ident(v_space.name) end, true);
      perform count(*) from generate_series(1, 100000);
      v_written := v_written || quote_ident(v_space.name);
    exception
      when insufficient_privilege then
        v_hidden := v_hidden || quote_ident(v_space.name);
      when disk_full then
        v_faulty := true;
        return query select 'problem', format('the disk of tablespace %I is full: %s', v_space.name, sqlerrm),
          'make room on the server''s disk; until then nothing can be written, and workers keep their results in memory';
    end;
  end loop;
  if not v_faulty then
    return query select 'ok',
      format('the disk of %s %s has room', case when cardinality(v_written) = 1 then 'tablespace' else 'tablespaces' end, array_to_string(v_written, ', ')),
      null::text;
  end if;
  if v_hidden <> '{}' then
    return query select 'warning',
      format('role %s, which owns the functions, cannot look whether there is room in %s', current_user, array_to_string(v_hidden, ', ')),
      format('grant create on tablespace %s to %I', array_to_string(v_hidden, ', '), current_user);
  end if;
end;
$$;
