-- Stores the kind and the transaction of those steps of a flow for which they are not known: a program that did not
-- compare them has stored the flow. The deployment lock is held by the caller.
create or replace function pgflow._store_semantics(p_flow_slug text, p_shape jsonb) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  update pgflow.steps s
  set kind = coalesce(s.kind, e.step ->> 'kind'), is_transactional = coalesce(s.is_transactional, (e.step ->> 'transaction')::boolean)
  from jsonb_array_elements(p_shape -> 'steps') as e (step)
  where s.flow_slug = p_flow_slug and s.step_slug = e.step ->> 'slug'
    and (s.kind is null and e.step ? 'kind' or s.is_transactional is null and e.step ? 'transaction');
$$;
