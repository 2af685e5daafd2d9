-- Raises array_subscript_error where arrays that are given position by position differ in length; null counts as empty.
create or replace function pgflow._check_lengths(variadic p_lengths int[]) returns void
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_length int;
begin
  foreach v_length in array p_lengths loop
    if coalesce(v_length, 0) <> coalesce(p_lengths[1], 0) then
      raise exception 'the arrays differ in length: %', array_to_string(p_lengths, ', ', '0')
        using errcode = 'array_subscript_error', hint = 'give arrays of one length: each position describes one task';
    end if;
  end loop;
end;
$$;
