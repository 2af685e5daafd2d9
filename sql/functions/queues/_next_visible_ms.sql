-- Returns the milliseconds until the next hidden message of a queue becomes visible, at most a day, however far ahead
-- it is; null if none is hidden.
create or replace function pgflow._next_visible_ms(p_queue_name text) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_next timestamptz;
begin
  execute format(
    'select q.vt from pgmq.%I q where q.vt > $1 order by q.vt limit 1', pgmq.format_table_name(p_queue_name, 'q')
  ) using clock_timestamp() into v_next;
  if v_next > clock_timestamp() + interval '1 day' then
    return 86400000;
  end if;
  return ceil(extract(epoch from v_next - clock_timestamp()) * 1000);
end;
$$;
