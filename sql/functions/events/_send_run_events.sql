-- Sends as events what has just become of runs, as run:started, run:completed or run:failed under the topic
-- pgflow:run:RUN_ID, if somebody listens: a cancelled one has failed, for clients know no other end
-- (_cancelled_as_failed). The caller has just changed their status, once. What cannot be sent is
-- left out and noted: events cost neither a start nor a result.
create or replace function pgflow._send_run_events(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set lock_timeout = '1s'
set row_security = on
as $$
begin
  if not pgflow._can_send_events() then
    return;
  end if;
  begin
    perform realtime.send(e.payload, e.payload ->> 'event_type', 'pgflow:run:' || e.run_id, false)
    from (
      select r.run_id,
        jsonb_build_object('event_type', 'run:' || r.status, 'run_id', r.run_id, 'flow_slug', r.flow_slug, 'status', r.status)
          || case r.status
            when 'started' then jsonb_build_object('input', r.input, 'remaining_steps', r.remaining_steps, 'started_at', r.started_at)
            when 'completed' then jsonb_build_object('output', r.output, 'completed_at', r.completed_at)
            when 'failed' then jsonb_build_object('error_message', r.error_message, 'failed_at', r.failed_at)
            else jsonb_build_object('event_type', 'run:failed') || pgflow._cancelled_as_failed(r)
          end as payload
      from unnest(p_run_ids) as g (run_id)
      join pgflow.runs r on r.run_id = any (array[g.run_id])
      order by g.run_id
    ) e;
  exception
    when others or assert_failure then
      perform pgflow._note_event_failure(sqlstate, sqlerrm);
  end;
end;
$$;
