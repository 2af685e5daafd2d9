-- Returns the longest effective timeout of the steps that a worker handles, in seconds.
create or replace function pgflow._longest_timeout(p_worker_id uuid) returns int
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select coalesce(max(coalesce(d.opt_timeout, f.opt_timeout)), 60)
    from pgflow.worker_handlers h
    join pgflow.steps d on d.flow_slug = any (array[h.flow_slug]) and d.step_slug = h.step_slug
    join pgflow.flows f on f.flow_slug = any (array[h.flow_slug])
    where h.worker_id = p_worker_id
  );
end;
$$;
