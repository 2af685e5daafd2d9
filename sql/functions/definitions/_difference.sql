-- Returns the sentence about one difference between the modules and the database, for authors; the columns are those of
-- _shape_differences.
create or replace function pgflow._difference(p_place text, p_part text, p_given text, p_stored text) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select p_place || ': ' || case
    when p_part = 'step' and p_given is null then format('missing in the modules (the database has %s)', p_stored)
    when p_part = 'step' then format('missing in the database (the modules have %s)', p_given)
    else format('%sin the modules %s, in the database %s', (
      select coalesce(o.name, p_part) || ': '
      from (select 1) one
      left join (values
        ('stepType', 'kind'), ('dependencies', 'depends_on'), ('requiredInputPattern', 'only_if'), ('forbiddenInputPattern', 'unless'),
        ('whenUnmet', 'when_unmet'), ('whenExhausted', 'when_exhausted'), ('whenElementExhausted', 'when_element_exhausted')
      ) as o (part, name) on o.part = p_part
    ), coalesce(v.given, 'none'), coalesce(v.stored, 'none'))
  end
  from (
    select case when p_part like '%InputPattern' then '''' || (p_given::jsonb -> 'value')::text || '''' else p_given end as given,
      case when p_part like '%InputPattern' then '''' || (p_stored::jsonb -> 'value')::text || '''' else p_stored end as stored
  ) v;
$$;
