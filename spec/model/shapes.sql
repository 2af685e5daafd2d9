-- What drives flows of extreme shapes, in a schema of its own.
create schema spec;

create function spec.worker() returns uuid language sql immutable as $$ select '00000000-0000-4000-9000-000000000001'::uuid $$;

-- Deploys one registry; raises where that is refused.
create function spec.deploy(p_queue text, p_registry jsonb) returns void
language plpgsql as $$
declare
  v_refused text;
begin
  select string_agg(concat_ws(' ', d.flow_slug, d.status, d.message), '; ') into v_refused
  from pgflow.deploy_flows(spec.worker(), p_queue, p_queue, p_registry, 1) d where d.status not in ('created', 'removed');
  if v_refused is not null then
    raise exception 'the deployment was refused: %', v_refused;
  end if;
end;
$$;

-- Memory of this session alone, in kB.
create function spec.memory() returns int
language sql volatile as $$
  select greatest(
    (regexp_match(s, 'RssAnon:\s+(\d+)'))[1]::int,
    (regexp_match(s, 'VmHWM:\s+(\d+)'))[1]::int - (regexp_match(s, 'RssShmem:\s+(\d+)'))[1]::int - (regexp_match(s, 'RssFile:\s+(\d+)'))[1]::int
  )
  from pg_read_file('/proc/self/status') s;
$$;

-- Claims and completes until the queue has nothing more, a batch a transaction: each task's output is its index. Returns the tasks
-- and the most memory that was seen.
create procedure spec.complete_all(p_queue text, p_quantity int, inout p_tasks int default 0, inout p_memory int default 0)
language plpgsql as $$
declare
  v record;
begin
  loop
    select array_agg(c.run_id) as run_ids, array_agg(c.step_slug) as step_slugs, array_agg(c.task_index) as task_indexes,
      array_agg(c.claim_no) as claim_nos, array_agg(to_jsonb(c.task_index)) as outputs
    into v from pgflow.claim_tasks(spec.worker(), 1, p_queue, p_quantity) c where c.kind = 'task';
    commit;
    exit when v.run_ids is null;
    perform from pgflow.complete_tasks(v.run_ids, v.step_slugs, v.task_indexes, v.claim_nos, v.outputs);
    commit;
    p_tasks := p_tasks + cardinality(v.run_ids);
    p_memory := greatest(p_memory, spec.memory());
  end loop;
end;
$$;

-- For two sessions that do something at the same moment.
create unlogged table spec.moments (session int, n int, begun timestamptz, ended timestamptz, answer text);

-- Waits until the other session is in the same round.
create procedure spec.meet(p_session int, p_n int)
language plpgsql as $$
begin
  perform pg_advisory_lock(p_session, p_n);
  while not exists (
    select from pg_locks l where l.locktype = 'advisory' and l.classid = 3 - p_session and l.objid = p_n and l.granted
  ) loop
  end loop;
  if p_n > 2 then
    perform pg_advisory_unlock(p_session, p_n - 2); -- the other has passed it
  end if;
end;
$$;

-- Completes one of the two tasks of a step of each run at the moment when the other session completes the other.
create procedure spec.complete_together(p_session int, p_step text)
language plpgsql as $$
declare
  v_run_ids uuid[] := array(select r.run_id from pgflow.runs r order by r.run_id);
  v_claim_nos bigint[] := array(
    select t.claim_no from pgflow.step_tasks t where t.step_slug = p_step and t.task_index = p_session - 1 order by t.run_id
  );
  v_begun timestamptz;
  v_answer text;
begin
  for n in 1 .. cardinality(v_run_ids) loop
    call spec.meet(p_session, n);
    commit;
    v_begun := clock_timestamp();
    select c.answer into v_answer
      from pgflow.complete_tasks(array[v_run_ids[n]], array[p_step], array[p_session - 1], array[v_claim_nos[n]], array['1'::jsonb]) c;
    commit;
    insert into spec.moments values (p_session, n, v_begun, clock_timestamp(), v_answer);
  end loop;
  perform pg_sleep(1); -- the other may still look for the last lock
end;
$$;
