-- deploy_files(worker_id, function_name, queue_name, registry, generation, registries, changed_files, read_from,
-- read_till): deploy_flows in a development database for a worker of luaflow dev, where the files are the truth. registries: an array of those of all queues,
-- with the file of each flow; read_from, read_till: when they were read, in ms of a clock that all workers share.
-- What the files have otherwise than the database is recreated, what none of them has is
-- retired or deleted (_file_changes), and the aliases follow; then the worker's own registry is deployed, and retries on
-- its queue that wait for what changed_files have mended become due. Returns what
-- deploy_flows does, with what was done before it in its rows, and in rows of their own that of flows of other queues:
-- created | recreated | restored | retired | deleted.
-- Raises object_not_in_prerequisite_state in any other database, and serialization_failure as _check_files_age. Locks: as deploy_flows and _follow_files.
create or replace function pgflow.deploy_files(
  p_worker_id uuid, p_function_name text, p_queue_name text, p_registry jsonb, p_generation bigint, p_registries jsonb,
  p_changed_files text[], p_read_from bigint, p_read_till bigint
) returns setof pgflow.deployment_answer
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_done jsonb := '[]';
  v_rows jsonb;
begin
  if not (select s.development from pgflow.settings s) then
    raise exception 'the files decide only in a development database, and this is none'
      using errcode = 'object_not_in_prerequisite_state', hint = 'deploy with luaflow worker';
  end if;
  if pgflow._fence_reason(p_worker_id, p_function_name) is not null then
    return query select d.* from pgflow.deploy_flows(p_worker_id, p_function_name, p_queue_name, p_registry, p_generation) d;
    return;
  end if;
  perform pgflow._lock_deployments();
  perform pgflow._check_files_age(p_worker_id, p_registries, p_read_from);
  begin
    v_done := (
      select coalesce(jsonb_agg(to_jsonb(f)), '[]') from pgflow._follow_files(pgflow._all_flows(p_registries), p_worker_id, p_function_name) f
    );
    v_rows := (select jsonb_agg(to_jsonb(w)) from pgflow.deploy_flows(p_worker_id, p_function_name, p_queue_name, p_registry, p_generation) w);
    if exists (
      select from jsonb_array_elements(v_rows) as r (value) where r.value ->> 'status' not in ('created', 'verified', 'recreated', 'removed')
    ) then
      v_done := '[]';
      raise exception 'refused' using errcode = 'LF002';
    end if;
    perform pgflow._hasten_changed_flows(p_queue_name, p_changed_files);
    update pgflow.workers w set files_read_till = p_read_till, files_digest = md5(p_registries::text) where w.worker_id = p_worker_id;
  exception when sqlstate 'LF002' then
    null; -- nothing has changed, and the rows say why
  end;
  return query
    with done as (
      select d.flow_slug, (array_agg(d.status order by d.status = 'created') filter (where d.status is not null))[1] as status,
        max(d.alias_status) as alias_status, max(d.differences) filter (where d.differences <> '{}') as differences,
        string_agg(d.message, '; ') as message
      from jsonb_to_recordset(v_done) as d (flow_slug text, status text, alias_status text, differences text[], message text)
      group by d.flow_slug
    )
    select coalesce(w.flow_slug, d.flow_slug),
      case when coalesce(w.status, 'verified') in ('verified', 'removed') then coalesce(d.status, w.status, 'verified') else w.status end,
      coalesce(d.alias_status, w.alias_status),
      coalesce(d.differences, w.differences, '{}'),
      nullif(concat_ws('; ', w.message, d.message), ''), coalesce(w.lacking_workers, '[]')
    from jsonb_to_recordset(v_rows)
      as w (flow_slug text, status text, alias_status text, differences text[], message text, lacking_workers jsonb)
    full join done d on d.flow_slug = w.flow_slug
    order by 1;
end;
$$;
