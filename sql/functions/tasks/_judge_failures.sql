-- Returns the batch with what each failure whose verdict is 'done' leads to, as its new verdict: 'retry', 'snooze', or
-- for an exhausted task its step's when_exhausted ('fail', 'skip', 'skip-cascade'), or 'null' if it is an element whose
-- output is null then; 'stale' if an earlier failure of the batch ended its run or step. The others stay as they are.
create or replace function pgflow._judge_failures(p_callbacks pgflow.callback[]) returns pgflow.callback[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    with effects as (
      select g.*, d.step_index,
        case
          when g.verdict <> 'done' then null
          when g.is_free then 'snooze'
          when g.is_permanent or t.attempts_count >= coalesce(d.opt_max_attempts, f.opt_max_attempts)
            then case d.when_element_exhausted when 'null' then 'null' else d.when_exhausted end
          else 'retry'
        end as effect
      from unnest(p_callbacks) g
      left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      left join pgflow.steps d on d.flow_slug = any (array[t.flow_slug]) and d.step_slug = t.step_slug
      left join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
    )
    select (
      j.ordinal, j.run_id, j.step_slug, j.task_index, j.claim_no, j.message, j.delay, j.is_permanent, j.is_free,
      case when j.effect is null then j.verdict when j.run_has_ended or j.step_has_ended then 'stale' else j.effect end
    )::pgflow.callback
    from (
      select e.*,
        coalesce(bool_or(e.effect = 'fail') over (
          partition by e.run_id order by e.step_index, e.task_index, e.ordinal rows between unbounded preceding and 1 preceding
        ), false) as run_has_ended,
        coalesce(bool_or(e.effect in ('skip', 'skip-cascade')) over (
          partition by e.run_id, e.step_slug order by e.task_index, e.ordinal rows between unbounded preceding and 1 preceding
        ), false) as step_has_ended
      from effects e
    ) j
  );
end;
$$;
