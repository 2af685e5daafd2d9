-- Returns a task of a map as people read it: 'task 3 (element {"sku": "a1"})', the element cut; of a large one its size, since its
-- text can be far larger than its value. p_element: null for the task of a single step.
create or replace function pgflow._task_label(p_task_index int, p_element jsonb) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
  select format('task %s', p_task_index) || case
    when p_element is null then ''
    when pg_column_size(p_element) > 4000 then format(' (element of %s)', pg_size_pretty(pg_column_size(p_element)::bigint))
    else (
      select format(' (element %s)', case when length(e.text) > 60 then left(e.text, 59) || '…' else e.text end)
      from (select p_element::text) e (text)
    )
  end;
$$;
