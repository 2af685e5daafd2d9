-- Claims the queued tasks of started runs behind the given messages of one queue, in their order, as long as their
-- inputs as JSON text are no larger than p_room bytes together: counts the attempt, raises the claim number and stores
-- the effective timeout. The first claim of a task has a random number in all but its 20 lowest bits, so that a late
-- answer for a run that was deleted does not count for one that a caller starts under the same id; the lowest bits
-- count the claims from 1. Tasks whose row is locked are left alone: a claim never waits. Rows by kind: 'task' for each
-- that is claimed; for each that is not, 'too_large' if its input alone has more than p_max_input bytes, else 'left':
-- there was no room. Messages without such a task give no row. is_root: the input is the run's. Raises what the server
-- says if an input cannot be made, or not be sent as UTF-8; nothing is claimed then. The messages were read in an
-- earlier statement: this one's snapshot sees their tasks. A task may have been queued after this transaction began, so
-- started_at is at least queued_at.
create or replace function pgflow._claim_messages(p_queue_name text, p_message_ids bigint[], p_worker_id uuid, p_max_input int, p_room int)
returns setof pgflow.claim_row
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tasks pgflow.claim_row[];
  v_inputs text[];
begin
  -- Inputs go into an array of their own and are taken out of it at the end: each row source between would copy them, to disk if they are large.
  select
    array_agg((
      'task', null, null, null, t.flow_slug, t.run_id, t.step_slug, t.task_index, m.message_id,
      case t.claim_no when 0 then floor(random() * 4294967296)::bigint << 20 else t.claim_no end + 1, t.attempts_count + 1,
      coalesce(d.opt_max_attempts, f.opt_max_attempts), coalesce(d.opt_timeout, f.opt_timeout), null,
      d.step_type = 'single' and d.deps_count = 0, t.suspicion, t.lost_transactions, null,
      case when getdatabaseencoding() = 'UTF8' then octet_length(i.input) else octet_length(convert_to(i.input, 'UTF8')) end
    )::pgflow.claim_row),
    array_agg(i.input)
  into v_tasks, v_inputs
  from unnest(p_message_ids) as m (message_id)
  cross join lateral (
    select t.* from pgflow.step_tasks t
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
      when d.step_type = 'map' then t.input::text
      when d.deps_count = 0 then r.input::text
      else (
        select '{' || coalesce(string_agg('"' || p.step_slug || '": ' || coalesce(p.output, 'null'), ', '
          order by length(p.step_slug), p.step_slug collate "C"), '') || '}'
        from pgflow.deps e
        cross join lateral (
          select p.step_slug, p.output from pgflow.step_states p
          where p.run_id = t.run_id and p.step_slug = e.dep_slug and p.status = 'completed' limit 1
        ) p
        where e.flow_slug = t.flow_slug and e.step_slug = t.step_slug
      )
    end as input
    limit 1
  ) i
  where r.status = 'started' and s.status = 'started';

  return query
    with judged as (
      select g.*, case
        when g.bytes > p_max_input then 'too_large'
        when sum(g.bytes) filter (where g.bytes <= p_max_input) over (order by g.msg_id) <= p_room then g.kind
        else 'left'
      end as verdict
      from unnest(v_tasks) with ordinality g
    ), claimed as (
      update pgflow.step_tasks t
      set status = 'started', started_at = greatest(now(), t.queued_at), attempts_count = j.attempt, claim_no = j.claim_no,
        claimed_timeout = j.timeout_s, last_worker_id = p_worker_id
      from judged j
      where j.verdict = 'task' and t.run_id = any (array[j.run_id]) and t.step_slug = j.step_slug and t.task_index = j.task_index
    )
    select j.verdict, j.status, j.next_visible_ms, j.more, j.flow_slug, j.run_id, j.step_slug, j.task_index, j.msg_id,
      case j.verdict when 'task' then j.claim_no end, j.attempt, j.max_attempts, j.timeout_s,
      case j.verdict when 'task' then v_inputs[j.ordinality] end, j.is_root, j.suspicion, j.lost_transactions, j.secret, j.bytes
    from judged j
    order by j.msg_id;
end;
$$;
