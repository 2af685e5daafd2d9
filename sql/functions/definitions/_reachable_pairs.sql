-- Returns the (flow, step) pairs that can still appear on a queue, each with what keeps it alive: pairs routed to it by
-- the active version of an alias, unless it is among those that a deployment is about to replace, and steps that are
-- created or started in a started run. Existence tests: the cost does not grow with the number of ended runs.
create or replace function pgflow._reachable_pairs(p_queue_name text, p_replaced_slugs text[] default '{}')
returns table (flow_slug text, step_slug text, held_by text)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set jit = off
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
    select h.flow_slug, h.step_slug, h.held_by
    from (
      select s.flow_slug, s.step_slug, s.step_index,
        case
          when a.flow_alias is not null then format('it is the active version of alias %s', a.flow_alias)
          else (
            select format('run %s is started and can still reach the step', r.run_id)
            from pgflow.runs r
            join pgflow.step_states t on t.run_id = any (array[r.run_id]) and t.step_slug = s.step_slug
            where r.flow_slug = any (array[s.flow_slug]) and num_nonnulls(r.completed_at, r.failed_at, r.cancelled_at) = 0
              and t.status in ('created', 'started')
            limit 1
          )
        end as held_by
      from pgflow.steps s
      join pgflow.flows f on f.flow_slug = any (array[s.flow_slug])
      left join pgflow.flow_aliases a on a.flow_alias = any (array[f.flow_alias]) and a.active_flow_slug = s.flow_slug and s.flow_slug <> all (p_replaced_slugs)
      where s.queue_name = p_queue_name
    ) h
    where h.held_by is not null
    order by h.flow_slug, h.step_index;
end;
$$;
