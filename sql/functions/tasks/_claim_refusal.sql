-- Returns why a worker may not claim: 'unknown_worker' (it has no row), 'not_subscribed' (of another queue, deprecated
-- or stopped) or 'stale_generation'; null if it may.
create or replace function pgflow._claim_refusal(p_worker_id uuid, p_generation bigint, p_queue_name text) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select case
      when w.worker_id is null then 'unknown_worker'
      when w.queue_name <> p_queue_name or w.deprecated_at is not null or w.stopped_at is not null then 'not_subscribed'
      when w.generation is distinct from p_generation then 'stale_generation'
    end
    from (select p_worker_id as worker_id) given
    left join pgflow.workers w on w.worker_id = given.worker_id
  );
end;
$$;
