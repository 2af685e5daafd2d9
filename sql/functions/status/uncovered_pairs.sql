-- uncovered_pairs(queue_name, flow_slugs, step_slugs): of the (flow, step) pairs that can still appear on the queue,
-- those that are not among the given handlers (two arrays of equal length), with what keeps each alive. Exact; reads
-- definitions and started runs. Takes no locks.
create or replace function pgflow.uncovered_pairs(p_queue_name text, p_flow_slugs text[], p_step_slugs text[])
returns table (flow_slug text, step_slug text, held_by text)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select p.flow_slug, p.step_slug, p.held_by
    from pgflow._reachable_pairs(p_queue_name) p
    where not exists (
      select from unnest(p_flow_slugs, p_step_slugs) as h (flow_slug, step_slug)
      where h.flow_slug = p.flow_slug and h.step_slug = p.step_slug
    );
end;
$$;
