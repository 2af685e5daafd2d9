-- Raises lock_not_available for a lock that another transaction holds: what that does, who it is, and what to do. A
-- worker that deploys is soon done: nothing is to be done about it.
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
      hint = case when v_holder.who ~ '\(luaflow worker ' then 'try again when it has ended'
        else coalesce('try again when it has ended, or end it: select pg_terminate_backend(' || v_holder.pid || ')', 'try again') end;
end;
$$;
