-- Returns the callbacks of a batch, from arrays in which a callback has the same position; not judged yet.
create or replace function pgflow._callbacks(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_claim_nos bigint[],
  p_messages text[] default null, p_delays float8[] default null, p_permanent boolean[] default null, p_free boolean[] default null
) returns pgflow.callback[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select (g.n, g.run_id, g.step_slug, g.task_index, g.claim_no, g.message, g.delay, g.is_permanent, g.is_free, null)::pgflow.callback
    from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_claim_nos, p_messages, p_delays, p_permanent, p_free) with ordinality
      as g (run_id, step_slug, task_index, claim_no, message, delay, is_permanent, is_free, n)
  );
end;
$$;
