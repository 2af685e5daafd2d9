-- Takes the locks of aliases exclusively, in order, until the transaction ends. It never waits for long in their queue, where it would hold up every start
-- behind it: it gives back what it has after 300 ms and tries again, for 3 s. Raises lock_not_available where a transaction that started a run stays open for longer.
create or replace function pgflow._lock_aliases(p_flow_aliases text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '300ms'
as $$
declare
  v_until timestamptz := clock_timestamp() + interval '3 seconds';
begin
  loop
    begin
      perform pg_advisory_xact_lock(pgflow._alias_lock_key(a.flow_alias))
      from (select distinct u.flow_alias from unnest(p_flow_aliases) as u (flow_alias) order by 1) a;
      exit;
    exception when lock_not_available then
      if clock_timestamp() > v_until then
        raise exception 'the aliases % are in use by transactions that start runs', array_to_string(p_flow_aliases, ', ')
          using errcode = 'lock_not_available', hint = 'a transaction that calls start_flow stays open; it is tried again';
      end if;
    end;
    perform pg_sleep(0.02 + random() * 0.1);
  end loop;
end;
$$;
