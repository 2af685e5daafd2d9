-- The part of check_invariants that looks at definitions, aliases and workers.
create or replace function pgflow._check_definitions() returns table (invariant text, subject text, detail text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    select 'alias points at a flow of its own', a.flow_alias, coalesce(a.active_flow_slug, 'null')
    from pgflow.flow_aliases a
    where a.active_flow_slug is not null
      and not exists (select from pgflow.flows f where f.flow_slug = a.active_flow_slug and f.flow_alias = a.flow_alias);
  return query
    select 'alias is where its history left it', a.flow_alias,
      format('active is %s, the last activation is of %s', a.active_flow_slug, coalesce(h.to_flow_slug, 'none'))
    from pgflow.flow_aliases a
    left join lateral (
      select h.to_flow_slug from pgflow.alias_activations h where h.flow_alias = a.flow_alias order by h.activation_id desc limit 1
    ) h on true
    where a.active_flow_slug is not null and a.active_flow_slug is distinct from h.to_flow_slug;
  return query
    select 'alias has a version', a.flow_alias, 'no flow belongs to it'
    from pgflow.flow_aliases a
    where not exists (select from pgflow.flows f where f.flow_alias = a.flow_alias);
  return query
    select 'row has its parent', f.flow_slug, format('a flow whose alias %s does not exist', f.flow_alias)
    from pgflow.flows f
    where not exists (select from pgflow.flow_aliases a where a.flow_alias = f.flow_alias);
  return query
    select 'row has its parent', format('%s %s.%s', h.worker_id, h.flow_slug, h.step_slug), 'the handler of a worker that does not exist'
    from pgflow.worker_handlers h
    where not exists (select from pgflow.workers w where w.worker_id = h.worker_id);
  return query
    select 'definition counts its dependencies', format('%s %s', s.flow_slug, s.step_slug),
      format('deps_count is %s, dependencies are %s', s.deps_count, d.known)
    from pgflow.steps s
    cross join lateral (select count(*) as known from pgflow.deps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug) d
    where d.known <> s.deps_count;
  return query
    select 'option is where its history left it', format('%s %s', concat_ws('.', h.flow_slug, h.step_slug), h.option),
      format('it is %s, the last change is to %s', coalesce(v.value::text, 'the flow''s'), coalesce(h.to_value::text, 'the flow''s'))
    from (
      select distinct on (c.flow_slug, c.step_slug, c.option) c.* from pgflow.option_changes c
      order by c.flow_slug, c.step_slug, c.option, c.change_id desc
    ) h
    join pgflow.flows f on f.flow_slug = h.flow_slug
    left join pgflow.steps s on s.flow_slug = h.flow_slug and s.step_slug = h.step_slug
    cross join lateral (
      select case h.option
        when 'max_attempts' then case when h.step_slug is null then f.opt_max_attempts else s.opt_max_attempts end
        when 'base_delay' then case when h.step_slug is null then f.opt_base_delay else s.opt_base_delay end
        when 'timeout' then case when h.step_slug is null then f.opt_timeout else s.opt_timeout end
        else coalesce(s.opt_start_delay, 0)
      end as value
    ) v
    where h.to_value is distinct from v.value;
  return query
    select 'waiting worker serves nothing', w.worker_id::text, format('it waits behind the fence of %s and serves queue %s', w.function_name, w.queue_name)
    from pgflow.fenced_workers w
    where exists (select from pgflow.workers s where s.worker_id = w.worker_id and s.stopped_at is null);
  return query
    select 'a map is stored as one', format('%s %s', s.flow_slug, s.step_slug), format('its type is %s, its kind %s', s.step_type, s.kind)
    from pgflow.steps s
    where (s.kind = 'map') <> (s.step_type = 'map');
  return query
    select 'step has a place of its own', s.flow_slug, format('%s steps have step_index %s', count(*), s.step_index)
    from pgflow.steps s
    group by s.flow_slug, s.step_index
    having count(*) > 1;
  return query
    select 'step is routed to a known queue', format('%s %s', s.flow_slug, s.step_slug), format('no deployment created queue %s', s.queue_name)
    from pgflow.steps s
    where not exists (select from pgflow.queues q where q.queue_name = s.queue_name);
end;
$$;
