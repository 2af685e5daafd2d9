-- Settles the messages that a claim has read, without those that it leaves (p_left), after it has claimed what it
-- could: archives those of ended tasks, and those without a task that are older than 60 s, or from as far in the future
-- (which it returns); hides those without a task for 5 s, those of started tasks until they can be recovered (for 5 s
-- if they already can), and those that somebody else has locked for 1 s. A message that is hidden for the right time
-- already is not touched. If one has no task there are probably many: as many as a thousand that are visible are looked
-- at with it (_sweep_orphans).
create or replace function pgflow._settle_read_messages(
  p_queue_name text, p_message_ids bigint[], p_enqueued_at timestamptz[], p_left bigint[], p_hidden_s int
) returns setof bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_hidden pgflow.message[];
  v_ended pgflow.message[];
  v_orphans bigint[];
  v_sweep boolean;
begin
  select array_agg((p_queue_name, j.message_id, j.visible_at)::pgflow.message) filter (where j.visible_at is not null),
    array_agg((p_queue_name, j.message_id, null)::pgflow.message) filter (where j.visible_at is null),
    array_agg(j.message_id) filter (where j.visible_at is null and j.is_orphan), bool_or(j.is_orphan)
  into v_hidden, v_ended, v_orphans, v_sweep
  from (
    select m.message_id, t.run_id is null as is_orphan,
      case
        when t.run_id is null and pgflow._is_near(m.enqueued_at, interval '60 seconds') then clock_timestamp() + interval '5 seconds'
        when t.status = 'started' then greatest(pgflow._recoverable_at(t.started_at, t.claimed_timeout), clock_timestamp() + interval '5 seconds')
        when t.status = 'queued' and r.status = 'started' then clock_timestamp() + interval '1 second'
      end as visible_at
    from unnest(p_message_ids, p_enqueued_at) as m (message_id, enqueued_at)
    left join lateral (
      select t.run_id, t.status, t.started_at, t.claimed_timeout from pgflow.step_tasks t
      where t.queue_name = p_queue_name and t.message_id = m.message_id limit 1
    ) t on true
    left join pgflow.runs r on r.run_id = any (array[t.run_id])
    where m.message_id <> all (p_left)
      and (t.status is distinct from 'started' or t.claimed_timeout <> p_hidden_s - 30 or t.started_at < now())
  ) j;
  perform pgflow._set_visibility(v_hidden);
  perform pgflow._archive_messages(v_ended);
  return query select unnest(v_orphans);
  if v_sweep then
    return query select pgflow._sweep_orphans(p_queue_name);
  end if;
end;
$$;
