-- Returns the aliases that live workers have moved back and forth, the last time within an hour: the active version and
-- another, the worker that moved the alias back to the active one, and the last other one that moved it away from there
-- and has not reloaded since. Their files have different versions active. Takes no locks.
create or replace function pgflow._disputed_aliases()
returns table (flow_alias text, active_flow_slug text, worker_id uuid, queue_name text, other_flow_slug text, other_id uuid, other_queue text)
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  with moves as materialized (
    select distinct on (h.flow_alias, h.worker_id) h.*, w.queue_name, w.last_reload_at, w.last_reload_error
    from pgflow.alias_activations h
    join pgflow.workers w on w.worker_id = h.worker_id
    where pgflow._is_alive(w) and w.deprecated_at is null
    order by h.flow_alias, h.worker_id, h.activation_id desc
  )
  select distinct on (m.flow_alias) m.flow_alias, m.to_flow_slug, m.worker_id, m.queue_name, o.to_flow_slug, o.worker_id, o.queue_name
  from moves m
  join pgflow.flow_aliases a on a.flow_alias = m.flow_alias and a.active_flow_slug = m.to_flow_slug
  join moves o on o.flow_alias = m.flow_alias and o.to_flow_slug <> m.to_flow_slug and o.activation_id < m.activation_id
  where m.activated_at > clock_timestamp() - interval '1 hour'
    and exists (
      select from pgflow.alias_activations e
      where e.flow_alias = m.flow_alias and e.to_flow_slug = m.to_flow_slug and e.activation_id < o.activation_id
    )
    and (o.last_reload_at is null or o.last_reload_error is not null or o.last_reload_at < m.activated_at)
  order by m.flow_alias, o.activation_id desc;
$$;
