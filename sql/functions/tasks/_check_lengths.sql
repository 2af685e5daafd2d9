-- Raises array_subscript_error where arrays that are given position by position differ in length; null counts as empty.
create or replace function pgflow._check_lengths(variadic p_lengths int[]) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if (select min(coalesce(l.length, 0)) <> max(coalesce(l.length, 0)) from unnest(p_lengths) as l (length)) then
    raise exception 'the arrays differ in length: %', array_to_string(p_lengths, ', ', '0')
      using errcode = 'array_subscript_error', hint = 'each position of the arrays speaks of one task';
  end if;
end;
$$;
