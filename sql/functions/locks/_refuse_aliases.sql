-- Raises lock_not_available for aliases whose locks others hold, and names those that are held and one holder. Only
-- reports: the locks may be free by now.
create or replace function pgflow._refuse_aliases(p_flow_aliases text[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_held text[];
  v_remedy text;
  v_who text;
begin
  select array_agg(u.flow_alias order by u.flow_alias), (array_agg(h.remedy order by h.who))[1], min(h.who)
  into v_held, v_remedy, v_who
  from unnest(p_flow_aliases) as u (flow_alias)
  cross join lateral pgflow._lock_holder(pgflow._alias_lock(u.flow_alias), 'exclusive') h
  where h.who is not null;
  raise exception 'could not lock aliases %: open transactions have called start_flow: %',
    array_to_string(coalesce(v_held, p_flow_aliases), ', '), coalesce(v_who, 'many')
    using errcode = 'lock_not_available', hint = concat_ws('; or end that one: ', 'try again when they have ended (a worker retries)', v_remedy);
end;
$$;
