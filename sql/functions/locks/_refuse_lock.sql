-- Raises lock_not_available for a lock that another transaction holds: what that does, who it is, and what to do.
create or replace function pgflow._refuse_lock(p_lock text, p_mode text, p_held_for text) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_holder record;
begin
  select * into v_holder from pgflow._lock_holder(p_lock, p_mode) h;
  raise exception '%: %', p_held_for, coalesce(v_holder.who, 'one that has just ended')
    using errcode = 'lock_not_available',
      hint = concat_ws(', or end it: ', 'try again when it has ended', v_holder.remedy);
end;
$$;
