-- Returns what each failure of a batch leads to: 'retry', 'snooze', or for an exhausted task its step's when_exhausted
-- ('fail', 'skip', 'skip-cascade'); 'none' if its answer is not 'done', or an earlier failure of the batch ended its
-- run or step. One effect for each position.
create or replace function pgflow._judge_failures(
  p_run_ids uuid[], p_step_slugs text[], p_task_indexes int[], p_answers text[], p_permanent boolean[], p_free boolean[]
) returns text[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    with effects as (
      select g.n, g.run_id, g.step_slug, g.task_index, d.step_index,
        case
          when g.answer <> 'done' then 'none'
          when g.free then 'snooze'
          when g.permanent or t.attempts_count >= coalesce(d.opt_max_attempts, f.opt_max_attempts) then d.when_exhausted
          else 'retry'
        end as effect
      from unnest(p_run_ids, p_step_slugs, p_task_indexes, p_answers, p_permanent, p_free) with ordinality
        as g (run_id, step_slug, task_index, answer, permanent, free, n)
      left join pgflow.step_tasks t on t.run_id = any (array[g.run_id]) and t.step_slug = g.step_slug and t.task_index = g.task_index
      left join pgflow.steps d on d.flow_slug = any (array[t.flow_slug]) and d.step_slug = t.step_slug
      left join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
    )
    select array_agg(case when j.run_has_ended or j.step_has_ended then 'none' else j.effect end order by j.n)
    from (
      select e.n, e.effect,
        coalesce(bool_or(e.effect = 'fail') over (
          partition by e.run_id order by e.step_index, e.task_index, e.n rows between unbounded preceding and 1 preceding
        ), false) as run_has_ended,
        coalesce(bool_or(e.effect in ('skip', 'skip-cascade')) over (
          partition by e.run_id, e.step_slug order by e.task_index, e.n rows between unbounded preceding and 1 preceding
        ), false) as step_has_ended
      from effects e
    ) j
  );
end;
$$;
