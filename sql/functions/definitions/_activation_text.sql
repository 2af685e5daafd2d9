-- Returns who has activated a version last, and when, to be appended to a sentence on its alias.
create or replace function pgflow._activation_text(p_flow_alias text, p_flow_slug text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select coalesce((
    select format(', which had been replaced: %s activated %s at %s',
      coalesce(format('worker %s', h.worker_id) || format(' (function %s, queue %s)', w.function_name, w.queue_name),
        'worker ' || h.worker_id || ', which is not known any more', 'a client'),
      p_flow_slug, date_trunc('second', h.activated_at))
    from pgflow.alias_activations h
    left join pgflow.workers w on w.worker_id = h.worker_id
    where h.flow_alias = p_flow_alias and h.to_flow_slug = p_flow_slug
    order by h.activation_id desc
    limit 1
  ), '');
$$;
