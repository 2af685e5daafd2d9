-- Lets pgflow's own workers (pgflow_compat) read the messages of a queue and hide them, as pgmq.read_with_poll and
-- set_vt_batch do with their caller's rights; nothing where it has been done, where the role does not exist, or where the
-- queue's table belongs to another role.
create or replace function pgflow._grant_polling(p_queue_name text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table regclass := to_regclass(format('pgmq.%I', pgmq.format_table_name(p_queue_name, 'q')));
  v_columns text := (
    select string_agg(quote_ident(a.attname), ', ') from pg_catalog.pg_attribute a
    where a.attrelid = v_table and a.attname in ('vt', 'read_ct', 'last_read_at') and not a.attisdropped
  );
begin
  if exists (
    select from pg_catalog.pg_class c
    join pg_catalog.pg_roles r on r.rolname = 'pgflow_compat'
    where c.oid = v_table and pg_has_role(current_user, c.relowner, 'usage')
      and not (has_table_privilege(r.oid, c.oid, 'select') and has_column_privilege(r.oid, c.oid, 'vt', 'update'))
  ) then
    execute format('grant select, update (%s) on %s to pgflow_compat', v_columns, v_table);
  end if;
end;
$$;
