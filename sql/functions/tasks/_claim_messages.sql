-- Claims the queued tasks of started runs behind the given messages of one queue: counts the attempt, raises the claim number and stores the
-- effective timeout. Tasks whose row is locked are left alone: a claim never waits. Messages without such a task give no row.
-- The messages were read in an earlier statement: this one's snapshot sees their tasks. A task may have been queued after this transaction
-- began, so started_at is at least queued_at.
create or replace function pgflow._claim_messages(p_queue_name text, p_message_ids bigint[], p_worker_id uuid)
returns table (
  flow_slug text, run_id uuid, step_slug text, input jsonb, msg_id bigint, task_index int, flow_input jsonb,
  claim_no bigint, attempt int, max_attempts int, timeout_s int, suspicion int, lost_transactions int
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    with claimable as (
      select t.run_id, t.step_slug, t.task_index, d.step_type, d.deps_count,
        coalesce(d.opt_timeout, f.opt_timeout) as timeout_s, coalesce(d.opt_max_attempts, f.opt_max_attempts) as max_attempts
      from unnest(p_message_ids) as m (message_id)
      cross join lateral (
        select t.flow_slug, t.run_id, t.step_slug, t.task_index from pgflow.step_tasks t where t.queue_name = p_queue_name and t.message_id = m.message_id and t.status = 'queued' limit 1 for update skip locked
      ) t
      join pgflow.runs r on r.run_id = any (array[t.run_id])
      join pgflow.step_states s on s.run_id = any (array[t.run_id]) and s.step_slug = t.step_slug
      cross join lateral (
        select d.step_type, d.deps_count, d.opt_timeout, d.opt_max_attempts from pgflow.steps d where d.flow_slug = t.flow_slug and d.step_slug = t.step_slug limit 1
      ) d
      join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
      where r.status = 'started' and s.status = 'started'
    ), claimed as (
      update pgflow.step_tasks t
      set status = 'started', started_at = greatest(now(), t.queued_at), attempts_count = t.attempts_count + 1, claim_no = t.claim_no + 1,
        claimed_timeout = c.timeout_s, last_worker_id = p_worker_id
      from claimable c
      where t.run_id = any (array[c.run_id]) and t.step_slug = c.step_slug and t.task_index = c.task_index
      returning t.flow_slug, t.run_id, t.step_slug, t.input, t.message_id, t.task_index, t.claim_no, t.attempts_count,
        t.suspicion, t.lost_transactions, c.max_attempts, c.timeout_s, c.step_type, c.deps_count
    )
    select c.flow_slug, c.run_id, c.step_slug,
      case
        when c.step_type = 'map' then c.input
        when c.deps_count = 0 then r.input
        else (
          select coalesce(jsonb_object_agg(s.step_slug, coalesce(s.output, 'null')), '{}')
          from pgflow.deps d
          cross join lateral (
            select s.step_slug, s.output from pgflow.step_states s
            where s.run_id = c.run_id and s.step_slug = d.dep_slug and s.status = 'completed' limit 1
          ) s
          where d.flow_slug = c.flow_slug and d.step_slug = c.step_slug
        )
      end,
      c.message_id, c.task_index,
      case when c.step_type = 'single' and c.deps_count = 0 then r.input end,
      c.claim_no, c.attempts_count, c.max_attempts, c.timeout_s, c.suspicion, c.lost_transactions
    from claimed c
    join pgflow.runs r on r.run_id = any (array[c.run_id])
    order by c.message_id;
end;
$$;
