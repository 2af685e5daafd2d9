-- Answers a worker that may not deploy, and records it among the waiting ones with what its deployment would answer now
-- (found out every 5 s, since it looks at much; a fault of trust is part of it). One that runs, and whose reload is
-- refused, is not recorded. Rows whose worker has been silent for a day are deleted.
create or replace function pgflow._answer_fenced(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_reason text
) returns setof pgflow.deployment_answer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_answer jsonb;
begin
  update pgflow.fenced_workers w set last_heartbeat_at = clock_timestamp(), reason = p_reason
  where w.worker_id = p_worker_id and pgflow._is_near(w.answered_at, interval '5 seconds');
  if not found and not exists (select from pgflow.workers w where w.worker_id = p_worker_id and w.stopped_at is null) then
    begin
      v_answer := (select coalesce(jsonb_agg(to_jsonb(p)), '[]') from pgflow._plan_deployment(null, p_queue_name, p_registry) p);
    exception when object_not_in_prerequisite_state then
      v_answer := jsonb_build_array(to_jsonb(
        row(p_registry #>> '{flows,0,slug}', 'queue_conflict', 'kept', '{}'::text[], sqlerrm, '[]'::jsonb)::pgflow.deployment_answer
      ));
    end;
    insert into pgflow.fenced_workers as w (worker_id, queue_name, function_name, reason, answer)
    values (p_worker_id, p_queue_name, p_function_name, p_reason, v_answer)
    on conflict (worker_id) do update
      set last_heartbeat_at = excluded.last_heartbeat_at, answered_at = excluded.answered_at, reason = excluded.reason, answer = excluded.answer;
    delete from pgflow.fenced_workers w where w.last_heartbeat_at < clock_timestamp() - interval '1 day';
  end if;
  return query
    select f.value ->> 'slug', 'fenced', 'kept', '{}'::text[], p_reason, '[]'::jsonb from jsonb_array_elements(p_registry -> 'flows') as f (value);
end;
$$;
