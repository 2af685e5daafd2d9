-- Sends as events what has just become of steps, as step:SLUG:started, :completed, :failed or :skipped under the topic
-- pgflow:run:RUN_ID, if somebody listens; the steps of a run in the order of step_index. The caller has just changed
-- their status, once. The payload's event_type leaves the slug out. What cannot be sent is left out and noted.
create or replace function pgflow._send_step_events(p_steps pgflow.step_key[]) returns void
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
    perform realtime.send(e.payload, format('step:%s:%s', e.step_slug, e.status), 'pgflow:run:' || e.run_id, false)
    from (
      select s.run_id, s.step_slug, s.status,
        jsonb_build_object('event_type', 'step:' || s.status, 'run_id', s.run_id, 'step_slug', s.step_slug, 'status', s.status)
          || case s.status
            when 'started' then jsonb_build_object(
              'started_at', s.started_at, 'remaining_tasks', s.remaining_tasks, 'remaining_deps', s.remaining_deps
            )
            when 'completed' then jsonb_build_object('output', s.output, 'completed_at', s.completed_at) || case
              when s.initial_tasks = 0 then jsonb_build_object(
                'started_at', s.started_at, 'remaining_tasks', s.remaining_tasks, 'remaining_deps', s.remaining_deps
              )
              else '{}'
            end
            when 'failed' then jsonb_build_object('error_message', s.error_message, 'failed_at', s.failed_at)
            else jsonb_build_object('flow_slug', s.flow_slug, 'skip_reason', s.skip_reason, 'skipped_at', s.skipped_at) || case
              when s.error_message is null then '{}'
              else jsonb_build_object('error_message', s.error_message)
            end
          end as payload
      from unnest(p_steps) g
      join pgflow.step_states s on s.run_id = any (array[g.run_id]) and s.step_slug = g.step_slug
      cross join lateral (
        select d.step_index from pgflow.steps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug limit 1
      ) d
      order by g.run_id, d.step_index
    ) e;
  exception
    when others or assert_failure then
      perform pgflow._note_event_failure(sqlstate, sqlerrm);
  end;
end;
$$;
