-- Returns those of the given runs whose tasks are all in the first 100 queues that the runs have, and the first run in
-- any case: who changes messages of a queue locks what belongs to it until the transaction ends, and the server has
-- room for some thousands of such locks in all.
create or replace function pgflow._runs_of_few_queues(p_run_ids uuid[]) returns uuid[]
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  with used as materialized (
    select distinct g.n, g.run_id, t.queue_name
    from unnest(p_run_ids) with ordinality as g (run_id, n)
    join pgflow.step_tasks t on t.run_id = any (array[g.run_id])
  ), few as (
    select u.queue_name from used u group by u.queue_name order by min(u.n) limit 100
  )
  select array(
    select g.run_id from unnest(p_run_ids) with ordinality as g (run_id, n)
    where g.n = 1 or g.run_id not in (select u.run_id from used u where u.queue_name not in (select f.queue_name from few f))
    order by g.n
  );
$$;
