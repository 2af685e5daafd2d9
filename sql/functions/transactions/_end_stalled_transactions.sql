-- Ends the sessions of the transactions that stalled ones of the given tasks have opened: their hosts are dead or
-- frozen, and their locks block others. Such a session holds two locks: that of its own row in open_transactions, which
-- nobody gets but by open_transaction, and the mark of the task's claim. So no other session is ended, whatever
-- advisory locks it holds. If the owner of this function lacks the right to end one (pg_signal_backend), it warns, and
-- the session ends by its own limits. Takes no locks.
create or replace function pgflow._end_stalled_transactions(p_tasks pgflow.task_key[], p_is_clock_steady boolean, p_may_judge_workers boolean)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_pid int;
begin
  for v_pid in
    select m.pid
    from unnest(p_tasks) i
    cross join lateral (
      select t.* from pgflow.step_tasks t where t.run_id = i.run_id and t.step_slug = i.step_slug and t.task_index = i.task_index limit 1
    ) t
    cross join pgflow._transaction_mark(t.run_id, t.step_slug, t.task_index, t.claim_no) as k (mark)
    join pg_locks m on m.locktype = 'advisory' and m.objsubid = 1 and (m.classid::bigint << 32 | m.objid::bigint) = k.mark
    join pg_database d on d.oid = m.database and d.datname = current_database()
    join pg_locks g on g.pid = m.pid and g.locktype = 'relation' and g.database = m.database
      and g.relation = 'pgflow.open_transactions'::regclass and g.mode = 'RowExclusiveLock'
    where m.granted and g.granted and t.status = 'started' and pgflow._stall_reason(t, p_is_clock_steady, p_may_judge_workers) is not null
  loop
    begin
      perform pg_terminate_backend(v_pid);
    exception
      when insufficient_privilege then
        raise warning 'luaflow: could not end the session of a stalled step (process %): %', v_pid, sqlerrm
          using hint = format('grant pg_signal_backend to %I', current_user);
    end;
  end loop;
end;
$$;
