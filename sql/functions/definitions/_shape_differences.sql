-- Returns a row for each difference between the shape that is given and the one that is stored, in order. place: the
-- shape's or the step's; part: the key of the step that differs, 'step' if one shape has no such step, null for the
-- shape; given and stored: as they are shown, patterns as the objects that stand in the shape; null if there is none. The
-- kind and the transaction of a step are compared
-- where both shapes know them: pgflow's shapes and flows of older programs do not. A shape that does not say what an
-- exhausted element does has the default. Options are never compared.
create or replace function pgflow._shape_differences(p_given jsonb, p_stored jsonb)
returns table (n bigint, place text, part text, given text, stored text)
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  with counts as (
    select jsonb_array_length(p_given -> 'steps') as given, jsonb_array_length(p_stored -> 'steps') as stored
  ),
  steps as (
    select i.index, p_given -> 'steps' -> i.index as given, p_stored -> 'steps' -> i.index as stored
    from counts c cross join lateral generate_series(0, greatest(c.given, c.stored) - 1) as i (index)
  ),
  found as (
    select -1 as index, 0 as rank, 'Step count' as place, null::text as part, c.given::text as given, c.stored::text as stored
    from counts c where c.given <> c.stored
    union all
    select s.index, 0, format('Step at index %s', s.index), 'step', '''' || (s.given ->> 'slug') || '''', '''' || (s.stored ->> 'slug') || ''''
    from steps s where s.given is null or s.stored is null
    union all
    select s.index, p.rank, format('Step at index %s', s.index), p.part, p.given, p.stored
    from steps s
    cross join lateral (
      select k.rank, k.part, format('''%s''', s.given ->> k.part) as given, format('''%s''', s.stored ->> k.part) as stored
      from (values (1, 'slug'), (4, 'whenUnmet'), (5, 'whenExhausted'), (8, 'transaction')) as k (rank, part)
      where s.given ->> k.part <> s.stored ->> k.part
      union all
      select 2, 'stepType', format('''%s''', coalesce(s.given ->> 'kind', s.given ->> 'stepType')),
        format('''%s''', coalesce(s.stored ->> 'kind', s.stored ->> 'stepType'))
      where s.given ->> 'stepType' <> s.stored ->> 'stepType' or s.given ->> 'kind' <> s.stored ->> 'kind'
      union all
      select 3, 'dependencies', format('[%s]', array_to_string(d.given, ', ')), format('[%s]', array_to_string(d.stored, ', '))
      from (select pgflow._sorted_texts(s.given -> 'dependencies') as given, pgflow._sorted_texts(s.stored -> 'dependencies') as stored) d
      where d.given <> d.stored
      union all
      select k.rank, k.part, (s.given -> k.part)::text, (s.stored -> k.part)::text
      from (values (6, 'requiredInputPattern'), (7, 'forbiddenInputPattern')) as k (rank, part)
      where s.given -> k.part is distinct from s.stored -> k.part
      union all
      select 9, 'whenElementExhausted', format('''%s''', w.given), format('''%s''', w.stored)
      from (
        select coalesce(s.given ->> 'whenElementExhausted', 'fail') as given, coalesce(s.stored ->> 'whenElementExhausted', 'fail') as stored
      ) w
      where w.given <> w.stored
    ) p
    where s.given is not null and s.stored is not null
  )
  select row_number() over (order by f.index, f.rank), f.place, f.part, f.given, f.stored from found f;
$$;
