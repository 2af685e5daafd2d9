-- Stores new runs of a version, one for each input, under the ids given; an input whose key (null: none) has a run of the
-- alias already, here or in the table, gets that run. Returns the runs in the order of the inputs, and which are new.
-- Raises unique_violation for a key whose run has another input. Keys are stored in their order, so that callers with
-- the same keys wait for each other instead of deadlocking.
create or replace function pgflow._insert_runs(
  p_version pgflow.flows, p_name text, p_run_ids uuid[], p_inputs jsonb[], p_keys text[], out run_ids uuid[], out new_run_ids uuid[]
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_steps bigint := (select count(*) from pgflow.steps s where s.flow_slug = p_version.flow_slug);
  v_more uuid[];
  v_misused text;
begin
  perform pgflow._check_keys(p_keys);
  run_ids := p_run_ids;
  loop
    with stored as (
      insert into pgflow.runs as r (run_id, flow_slug, flow_alias, started_as, input, remaining_steps, idempotency_key)
      select g.run_id, p_version.flow_slug, p_version.flow_alias, p_name, g.input, v_steps, g.key
      from unnest(p_run_ids, p_inputs, p_keys) with ordinality as g (run_id, input, key, n)
      where (new_run_ids is null or g.key is not null) and not exists (
        select from pgflow.runs k where k.flow_alias = p_version.flow_alias and k.idempotency_key = g.key
      )
      order by g.key, g.n
      on conflict (flow_alias, idempotency_key) where idempotency_key is not null do nothing
      returning r.run_id
    )
    select coalesce(array_agg(s.run_id), '{}') into v_more from stored s;
    new_run_ids := new_run_ids || v_more;
    exit when cardinality(new_run_ids) = cardinality(p_run_ids);
    select array_agg(case when g.key is null then g.run_id else k.run_id end order by g.n),
      min(g.key) filter (where k.input is distinct from g.input and k.run_id is not null)
    into run_ids, v_misused
    from unnest(p_run_ids, p_inputs, p_keys) with ordinality as g (run_id, input, key, n)
    left join lateral (
      select r.run_id, r.input from pgflow.runs r where r.flow_alias = p_version.flow_alias and r.idempotency_key = g.key limit 1
    ) k on true;
    if v_misused is not null then
      -- Who knows a run's id can read it, and keys can be guessed: the run is not named.
      raise exception 'idempotency key % of % belongs to a run with another input',
        quote_literal(v_misused), p_version.flow_alias using errcode = 'unique_violation',
        hint = 'use a new key for a new input, or the same input to get that run';
    end if;
    exit when array_position(run_ids, null) is null; -- else a run was pruned in between, and its key is free again
  end loop;
end;
$$;
