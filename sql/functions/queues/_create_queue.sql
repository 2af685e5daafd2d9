-- Creates a queue in PGMQ. PGMQ locks its name by an advisory lock, which every role that can connect could hold: if
-- PGMQ does not get it in time, the queue is created under a name that nobody can guess, and renamed.
create or replace function pgflow._create_queue(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms'
as $$
declare
  v_name text := 'luaflow_' || replace(gen_random_uuid()::text, '-', '');
  v_relation name;
begin
  perform pgmq.create(p_queue_name);
exception when lock_not_available then
  perform pgmq.create(v_name);
  for v_relation in
    select c.relname from pg_class c where c.relnamespace = 'pgmq'::regnamespace and strpos(c.relname, v_name) > 0 and c.relkind in ('r', 'i', 'S')
  loop
    execute format('alter table pgmq.%I rename to %I', v_relation, replace(v_relation, v_name, p_queue_name));
  end loop;
  update pgmq.meta m set queue_name = p_queue_name where m.queue_name = v_name;
end;
$$;
