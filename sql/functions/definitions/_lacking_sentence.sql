-- Returns the sentence about what _lacking_workers found, which names five of them; null if there are none.
create or replace function pgflow._lacking_sentence(p_lacking jsonb) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select 'these workers stop at the first task of steps that they lack: ' || string_agg(
    format('%s of queue %s (function %s) lacks %s', left(l.value ->> 'worker_id', 8), l.value ->> 'queue_name', l.value ->> 'function_name',
      (select string_agg(p.value, ', ') from jsonb_array_elements_text(l.value -> 'pairs') p)),
    ', ' order by l.n
  ) filter (where l.n <= 5) || case when max(l.n) > 5 then format(' and %s more', max(l.n) - 5) else '' end
  from jsonb_array_elements(p_lacking) with ordinality as l (value, n);
$$;
