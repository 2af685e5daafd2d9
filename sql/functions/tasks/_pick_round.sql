-- Returns the answers of one round of a batch: those of other rounds become 'elsewhere', which records nothing.
create or replace function pgflow._pick_round(p_round int, p_rounds int[], p_answers text[]) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select case when g.round = p_round then g.answer else 'elsewhere' end
    from unnest(p_rounds, p_answers) with ordinality as g (round, answer, n) order by g.n
  );
$$;
