-- Returns what to do about a queue that _queue_distrust refuses. It does not advise to delete the queue, which may hold
-- another program's messages. It reads the catalog alone.
create or replace function pgflow._queue_remedy(p_queue_name text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_owners text;
  v_statements text;
begin
  select string_agg(distinct quote_ident(pg_get_userbyid(c.relowner)), ', ') filter (where f.n = 2),
    string_agg(
      case f.n
        when 2 then format('alter table pgmq.%I owner to %I', c.relname, current_user)
        else format('alter table pgmq.%I disable row level security', c.relname)
      end,
      '; ' order by c.relname desc, f.n
    )
  into v_owners, v_statements
  from pg_catalog.pg_class c
  cross join pgflow._table_faults(c.oid) f
  where c.relnamespace = to_regnamespace('pgmq') and f.n in (2, 5)
    and c.relname in (pgmq.format_table_name(p_queue_name, 'q'), pgmq.format_table_name(p_queue_name, 'a'));
  return concat_ws(
    '; ',
    case
      when v_statements is null then format('remove what is attached to its tables, as role %I', current_user)
      when v_owners is null then format('as role %I: %s', current_user, v_statements)
      else format('as a superuser, or as role %s if it is a member of %I: %s', v_owners, current_user, v_statements)
    end,
    'or add the role that you trust to trusted_roles in pgflow.settings, or route the steps to another queue'
  );
end;
$$;
