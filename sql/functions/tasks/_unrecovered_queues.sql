-- Returns as many as 10 queues, other than the given one, that nobody has recovered in the last 60 s, at random: a queue
-- that cannot be recovered keeps no other one waiting. They are those of pgflow's own workers, which do not recover,
-- and those whose workers have ended.
create or replace function pgflow._unrecovered_queues(p_queue_name text) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select u.queue_name
    from (
      select q.queue_name from pgflow.queues q
      where q.queue_name <> p_queue_name and not exists (
        select from pgflow.recoveries c where c.queue_name = q.queue_name and pgflow._is_near(c.recovered_at, interval '60 seconds')
      )
      order by random() limit 10
    ) u
    where pgflow._queue_exists(u.queue_name)
  );
end;
$$;
