-- Claims the queued tasks of started runs behind the given messages of one queue, in their order, as long as their
-- inputs as JSON text are no larger than p_room bytes together: counts the attempt, raises the claim number and stores
-- the effective timeout. Tasks whose row is locked are left alone: a claim never waits. Messages without such a task
-- give no row. One that was not claimed has a row without claim_no: there was no room, or it alone has more than
-- p_max_input bytes (see bytes). is_root: the input is the run's. Raises what the server says if an input cannot be
-- made, or not be sent as UTF-8; nothing is claimed then. The messages were read in an earlier statement: this one's
-- snapshot sees their tasks. A task may have been queued after this transaction began, so started_at is at least
-- queued_at.
create or replace function pgflow._claim_messages(p_queue_name text, p_message_ids bigint[], p_worker_id uuid, p_max_input int, p_room int)
returns table (
  flow_slug text, run_id uuid, step_slug text, task_index int, msg_id bigint, claim_no bigint, attempt int, max_attempts int, timeout_s int,
  input text, is_root boolean, suspicion int, lost_transactions int, bytes int
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_run_ids uuid[];
  v_step_slugs text[];
  v_task_indexes int[];
  v_message_ids bigint[];
  v_are_root boolean[];
  v_timeouts int[];
  v_max_attempts int[];
  v_inputs text[];
  v_bytes int[];
begin
  -- Inputs go into an array and are taken out of it at the end: each row source between would copy them, to disk if they are large.
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(m.message_id),
    array_agg(d.step_type = 'single' and d.deps_count = 0), array_agg(coalesce(d.opt_timeout, f.opt_timeout)),
    array_agg(coalesce(d.opt_max_attempts, f.opt_max_attempts)), array_agg(i.input),
    array_agg(case when getdatabaseencoding() = 'UTF8' then octet_length(i.input) else octet_length(convert_to(i.input, 'UTF8')) end)
  into v_run_ids, v_step_slugs, v_task_indexes, v_message_ids, v_are_root, v_timeouts, v_max_attempts, v_inputs, v_bytes
  from unnest(p_message_ids) as m (message_id)
  cross join lateral (
    select t.flow_slug, t.run_id, t.step_slug, t.task_index, t.input from pgflow.step_tasks t
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
  where r.status = 'started' and s.status = 'started';

  return query
    with sized as (
      select g.*, g.bytes <= p_max_input and sum(g.bytes) filter (where g.bytes <= p_max_input) over (order by g.message_id) <= p_room as fits
      from unnest(v_run_ids, v_step_slugs, v_task_indexes, v_message_ids, v_are_root, v_timeouts, v_max_attempts, v_bytes) with ordinality
        as g (run_id, step_slug, task_index, message_id, is_root, timeout_s, max_attempts, bytes, n)
    ), claimed as (
      update pgflow.step_tasks t
      set status = 'started', started_at = greatest(now(), t.queued_at), attempts_count = t.attempts_count + 1, claim_no = t.claim_no + 1,
        claimed_timeout = c.timeout_s, last_worker_id = p_worker_id
      from sized c
      where c.fits and t.run_id = any (array[c.run_id]) and t.step_slug = c.step_slug and t.task_index = c.task_index
      returning c.n, t.flow_slug, t.claim_no, t.attempts_count, t.suspicion, t.lost_transactions
    ), ordered as (
      select s.*, c.flow_slug, c.claim_no, c.attempts_count, c.suspicion, c.lost_transactions
      from sized s left join claimed c on c.n = s.n
      order by s.message_id
      offset 0
    )
    select o.flow_slug, o.run_id, o.step_slug, o.task_index, o.message_id, o.claim_no, o.attempts_count, o.max_attempts, o.timeout_s,
      case when o.claim_no is not null then v_inputs[o.n] end, o.is_root, o.suspicion, o.lost_transactions, o.bytes
    from ordered o;
end;
$$;
