-- Returns the answers of a batch with those of one round put in.
create or replace function pgflow._merge_round(p_round int, p_rounds int[], p_answers text[], p_round_answers text[]) returns text[]
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select case when g.round = p_round then g.round_answer else g.answer end
    from unnest(p_rounds, p_answers, p_round_answers) with ordinality as g (round, answer, round_answer, n) order by g.n
  );
$$;
