-- moved_aliases(worker_ids, since) -> a row for each time that one of these workers has moved an alias since then, oldest
-- first: a sentence on it, and whether the version had been active before. Takes no locks.
create or replace function pgflow.moved_aliases(p_worker_ids uuid[], p_since timestamptz) returns table (message text, moved_back boolean)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  select format('alias %s: %s, by worker %s of queue %s', h.flow_alias, concat_ws(' -> ', h.from_flow_slug, h.to_flow_slug)
      || case when b.moved_back then ', which had been replaced' else '' end, h.worker_id, w.queue_name),
    b.moved_back
  from pgflow.alias_activations h
  join pgflow.workers w on w.worker_id = h.worker_id
  cross join lateral (
    select h.from_flow_slug is not null and exists (
      select from pgflow.alias_activations e
      where e.flow_alias = h.flow_alias and e.to_flow_slug = h.to_flow_slug and e.activation_id < h.activation_id
    ) as moved_back
  ) b
  where h.worker_id = any (p_worker_ids) and h.activated_at >= p_since
  order by h.activation_id;
$$;
