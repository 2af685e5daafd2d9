-- Returns whether an instant is less than a distance away from the clock, before or after it. What is farther ahead was
-- written by a clock that has since been set back.
create or replace function pgflow._is_near(p_instant timestamptz, p_distance interval) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return p_instant > clock_timestamp() - p_distance and p_instant < clock_timestamp() + p_distance;
end;
$$;
