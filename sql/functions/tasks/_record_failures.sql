-- Records the failed attempts of a batch whose verdict is 'done'. Returns the batch, with what they led to
-- (_judge_failures). The runs are locked by the caller.
create or replace function pgflow._record_failures(p_callbacks pgflow.callback[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_callbacks pgflow.callback[] := pgflow._judge_failures(p_callbacks);
begin
  perform pgflow._requeue_failed_tasks(v_callbacks);
  if exists (select from unnest(v_callbacks) g where g.verdict in ('fail', 'skip', 'skip-cascade', 'null')) then
    perform pgflow._end_exhausted_tasks(v_callbacks);
  end if;
  return v_callbacks;
end;
$$;
