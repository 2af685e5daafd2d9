-- doctor_functions() -> findings (level, message, hint): an open rollout, which is a problem once it is an hour old, and
-- worker functions that are disabled. Takes no locks.
create or replace function pgflow.doctor_functions() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with functions as (
    select f.* from pgflow.worker_function_status() f
  ),
  found (level, message, hint) as (
    select case when min(r.begun_at) < clock_timestamp() - interval '1 hour' then 'problem' else 'warning' end,
      format('a rollout of %s has been open since %s', string_agg(r.function_name, ', ' order by r.function_name), date_trunc('second', min(r.begun_at))),
      'see what it waits for: luaflow rollout status; until luaflow rollout finish its workers neither deploy nor claim'
    from pgflow.rollout_status() r
    having count(*) > 0
    union all
    select 'warning', format('worker function %s is disabled: its workers wait when they start', f.function_name),
      format('luaflow functions enable %s', f.function_name)
    from functions f
    where not f.enabled and not f.in_rollout
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', format('%s worker function%s, all enabled', count(*), case when count(*) = 1 then '' else 's' end), null
  from functions
  having not exists (select from found);
$$;
