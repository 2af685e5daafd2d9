-- lock_runs(run_ids, claiming_queue): the first statement of every batch, over all its runs; locks them in one order,
-- so that two batches cannot wait for each other. Unknown runs are ignored; repeated calls cost little. claiming_queue:
-- the queue that this transaction ends with a claim on; work that the batch makes there needs no wake-up.
-- Locks: the rows of the runs, until commit.
create or replace function pgflow.lock_runs(p_run_ids uuid[], p_claiming_queue text default null) returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_claiming_queue is not null then
    perform set_config('pgflow.claiming_queue', p_claiming_queue, true);
  end if;
  perform from pgflow.runs r where r.run_id = any (p_run_ids) order by r.run_id for update;
end;
$$;
