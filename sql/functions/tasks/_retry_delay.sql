-- Returns the seconds until the next attempt of a task that is queued again: the delay that was asked for, within 0 and
-- 24 hours, else (NaN too) the backoff.
create or replace function pgflow._retry_delay(p_delay float8, p_base_delay int, p_attempts_count int) returns float8
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when p_delay is null or p_delay = 'NaN' then pgflow.calculate_retry_delay(p_base_delay, p_attempts_count)
    else least(greatest(p_delay, 0), 86400)
  end;
end;
$$;
