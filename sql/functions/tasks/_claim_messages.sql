-- Claims the queued tasks of started runs behind the given messages of one queue, in their order, as long as their inputs as JSON text are no larger than p_room bytes
-- together: counts the attempt, raises the claim number and stores the effective timeout. Tasks whose row is locked are left alone: a claim never waits. Messages without such a
-- task give no row. One that was not claimed has a row without claim_no: there was no room, or it alone has more than p_max_input bytes (see bytes).
-- is_root: the input is the run's. Raises what the server says where an input cannot be made, or not be sent as UTF-8; nothing is claimed then.
-- The messages were read in an earlier statement: this one's snapshot sees their tasks. A task may have been queued after this transaction
-- began, so started_at is at least queued_at.
create or replace function pgflow._claim_messages(p_queue_name text, p_message_ids bigint[], p_worker_id uuid, p_max_input int, p_room int)
returns table (
  flow_slug text, run_id uuid, step_slug text, task_index int, msg_id bigint, claim_no bigint, attempt int, max_attempts int, timeout_s int,
  input text, is_root boolean, suspicion int, lost_transactions int, bytes int
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
    with claimable as (
      select m.n, t.flow_slug, t.run_id, t.step_slug, t.task_index, t.message_id, d.step_type = 'single' and d.deps_count = 0 as is_root,
        coalesce(d.opt_timeout, f.opt_timeout) as timeout_s, coalesce(d.opt_max_attempts, f.opt_max_attempts) as max_attempts, i.input,
        case when getdatabaseencoding() = 'UTF8' then octet_length(i.input) else octet_length(convert_to(i.input, 'UTF8')) end as bytes
      from unnest(p_message_ids) with ordinality as m (message_id, n)
      cross join lateral (
        select t.flow_slug, t.run_id, t.step_slug, t.task_index, t.message_id, t.input from pgflow.step_tasks t
        where t.queue_name = p_queue_name and t.message_id = m.message_id and t.status = 'queued' limit 1 for update skip locked
      ) t
      join pgflow.runs r on r.run_id = any (array[t.run_id])
      join pgflow.step_states s on s.run_id = any (array[t.run_id]) and s.step_slug = t.step_slug
      cross join lateral (
        select d.step_type, d.deps_count, d.opt_timeout, d.opt_max_attempts from pgflow.steps d
        where d.flow_slug = t.flow_slug and d.step_slug = t.step_slug limit 1
      ) d
      join pgflow.flows f on f.flow_slug = any (array[t.flow_slug])
      cross join lateral (
        select case
          when d.step_type = 'map' then t.input
          when d.deps_count = 0 then r.input
          else (
            select coalesce(jsonb_object_agg(p.step_slug, coalesce(p.output, 'null')), '{}')
            from pgflow.deps e
            cross join lateral (
              select p.step_slug, p.output from pgflow.step_states p
              where p.run_id = t.run_id and p.step_slug = e.dep_slug and p.status = 'completed' limit 1
            ) p
            where e.flow_slug = t.flow_slug and e.step_slug = t.step_slug
          )
        end::text as input
        limit 1
      ) i
      where r.status = 'started' and s.status = 'started'
    ), sized as (
      select c.*, c.bytes <= p_max_input and sum(c.bytes) filter (where c.bytes <= p_max_input) over (order by c.n) <= p_room as fits from claimable c
    ), claimed as (
      update pgflow.step_tasks t
      set status = 'started', started_at = greatest(now(), t.queued_at), attempts_count = t.attempts_count + 1, claim_no = t.claim_no + 1,
        claimed_timeout = c.timeout_s, last_worker_id = p_worker_id
      from sized c
      where c.fits and t.run_id = any (array[c.run_id]) and t.step_slug = c.step_slug and t.task_index = c.task_index
      returning c.n, c.flow_slug, c.run_id, c.step_slug, c.task_index, c.message_id, t.claim_no, t.attempts_count, c.max_attempts, c.timeout_s,
        c.input, c.is_root, t.suspicion, t.lost_transactions, c.bytes
    )
    select a.flow_slug, a.run_id, a.step_slug, a.task_index, a.message_id, a.claim_no, a.attempts_count, a.max_attempts, a.timeout_s, a.input, a.is_root,
      a.suspicion, a.lost_transactions, a.bytes
    from (
      select c.* from claimed c
      union all
      select c.n, c.flow_slug, c.run_id, c.step_slug, c.task_index, c.message_id, null, null, null, null, null, null, null, null, c.bytes from sized c where not c.fits
    ) a
    order by a.n;
end;
$$;
