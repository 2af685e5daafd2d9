-- What drives the engine in the comparison, in a schema of its own: several sessions call spec.drive at once. Each starts its runs, claims
-- tasks of random queues, lets them end as their outcomes say, and reports them in batches of random size as the host does. Everything is
-- noted with the order in which it locked the runs.

create schema spec;

create unlogged table spec.runs (
  run_id uuid primary key, name text, input jsonb,
  connection int, start_at int, -- in which round of which session it is started
  cancel_at int, cancel_reason text -- in which round of that session it is cancelled
);
create unlogged table spec.outcomes (
  run_id uuid, step_slug text, n int, kind text, output jsonb, message text, delay float8, permanent boolean, free boolean, again text,
  again_kind text, primary key (run_id, step_slug, n)
);
create unlogged table spec.queues (queue_name text primary key, worker_id uuid, n int);

-- What happened.
create unlogged table spec.batches (
  batch bigint generated always as identity primary key, connection int, kind text, run_ids uuid[], locked_at timestamptz, status text,
  reason text
);
create unlogged table spec.entries (
  batch bigint, kind text, n int, run_id uuid, step_slug text, task_index int, claim_no bigint, output jsonb, message text, delay float8,
  permanent boolean, free boolean, answer text,
  waits_least float8, waits_most float8, -- seconds from the call's end and from its beginning until the message is visible; null: not looked at
  primary key (batch, kind, n)
);
create unlogged table spec.claims (
  batch bigint, run_id uuid, step_slug text, task_index int, claim_no bigint, attempt int, max_attempts int, timeout_s int, input jsonb,
  flow_input jsonb, primary key (run_id, step_slug, task_index, claim_no)
);
-- How long messages that nobody had read were hidden: from their birth, and from the look at them.
create unlogged table spec.delays (
  run_id uuid, step_slug text, task_index int, waits_least float8, waits_most float8, primary key (run_id, step_slug, task_index)
);
create unlogged table spec.violations (batch bigint, invariant text, subject text, detail text);
-- Claimed and not yet reported, by session.
create unlogged table spec.pending (
  id bigint generated always as identity primary key, connection int, kind text, run_id uuid, step_slug text, task_index int,
  claim_no bigint, output jsonb, message text, delay float8, permanent boolean, free boolean, again text, again_kind text
);
create index on spec.pending (connection);

-- Fills the tables from one JSON object. A missing output is JSON null, which a worker sends for nil.
create function spec.load(p_runs jsonb) returns void
language sql as $$
  insert into spec.runs
  select (r ->> 'run_id')::uuid, r ->> 'name', r -> 'input', (r ->> 'connection')::int, (r ->> 'start_at')::int, (r ->> 'cancel_at')::int,
    r ->> 'cancel_reason'
  from jsonb_array_elements(p_runs) r;
  insert into spec.outcomes
  select (r ->> 'run_id')::uuid, s.key, o.n - 1, o.value ->> 'kind', coalesce(o.value -> 'output', 'null'), o.value ->> 'message',
    (o.value ->> 'delay')::float8, coalesce((o.value ->> 'permanent')::boolean, false), coalesce((o.value ->> 'free')::boolean, false),
    o.value ->> 'again', o.value ->> 'again_kind'
  from jsonb_array_elements(p_runs) r, jsonb_each(r -> 'outcomes') s, jsonb_array_elements(s.value) with ordinality o (value, n);
$$;

create function spec.deploy(p_n int, p_queue text, p_registry jsonb) returns void
language plpgsql as $$
declare
  v_worker_id uuid := format('00000000-0000-4000-9000-%s', lpad(p_n::text, 12, '0'));
  v_refused text;
begin
  select string_agg(concat_ws(' ', d.flow_slug, d.status, d.message), '; ') into v_refused
  from pgflow.deploy_flows(v_worker_id, p_queue, p_queue, p_registry, 1) d where d.status not in ('created', 'verified', 'removed');
  if v_refused is not null then
    raise exception 'the deployment was refused: %', v_refused;
  end if;
  insert into spec.queues values (p_queue, v_worker_id, p_n);
end;
$$;

-- Notes the delays of messages that nobody has read yet, and makes hidden ones of a queue visible: those of queued tasks, so that no delay costs
-- time, and a few of started ones. One statement, so that nothing is shown that was not noted.
create function spec.reveal(p_queue text) returns void
language plpgsql as $$
begin
  execute format($q$
    with found as (
      select m.msg_id, m.vt, m.enqueued_at, m.read_ct, t.run_id, t.step_slug, t.task_index, t.status
      from pgmq.%1$I m
      join pgflow.step_tasks t on t.queue_name = %2$L and t.message_id = m.msg_id
    ), noted as (
      insert into spec.delays
      select f.run_id, f.step_slug, f.task_index, extract(epoch from f.vt - clock_timestamp()), extract(epoch from f.vt - f.enqueued_at)
      from found f where f.read_ct = 0
      order by f.run_id, f.step_slug, f.task_index -- sessions that note the same ones do not wait for each other in a circle
      on conflict do nothing
    ), hidden as (
      select m.msg_id
      from found f
      join pgmq.%1$I m on m.msg_id = f.msg_id
      where f.vt > clock_timestamp() and (f.status = 'queued' or random() < 0.02)
      for update of m skip locked
    )
    update pgmq.%1$I m set vt = clock_timestamp() - interval '1 millisecond' from hidden h where m.msg_id = h.msg_id $q$,
    pgmq.format_table_name(p_queue, 'q'), p_queue);
end;
$$;

-- Starts what is due; cancels what is due. Each is a transaction of its own. True if there was something.
create procedure spec.start_and_cancel(p_connection int, p_round int, inout p_busy boolean)
language plpgsql as $$
declare
  v_run spec.runs;
  v_batch bigint;
begin
  for v_run in select r.* from spec.runs r where r.connection = p_connection and r.start_at = p_round order by r.run_id loop
    insert into spec.batches (connection, kind, run_ids) values (p_connection, 'start', array[v_run.run_id]) returning batch into v_batch;
    perform from pgflow.start_flow(v_run.name, v_run.input, v_run.run_id);
    update spec.batches b set locked_at = clock_timestamp() where b.batch = v_batch;
    p_busy := true;
    commit;
  end loop;
  for v_run in select r.* from spec.runs r where r.connection = p_connection and r.cancel_at = p_round order by r.run_id loop
    insert into spec.batches (connection, kind, run_ids, reason) values (p_connection, 'cancel', array[v_run.run_id], v_run.cancel_reason)
    returning batch into v_batch;
    perform pgflow.lock_runs(array[v_run.run_id]);
    update spec.batches b set locked_at = clock_timestamp() where b.batch = v_batch;
    update spec.batches b set status = c.status from pgflow.cancel_run(v_run.run_id, v_run.cancel_reason) c where b.batch = v_batch;
    p_busy := true;
    commit;
  end loop;
end;
$$;

-- Takes some of what is pending into a batch, in random order; now and then all of one run.
create function spec.take(p_connection int, p_batch bigint, p_size int) returns void
language plpgsql as $$
declare
  v_ids bigint[] := array(select p.id from spec.pending p where p.connection = p_connection order by random(), p.id limit p_size);
begin
  if random() < 0.3 then
    v_ids := array(
      select p.id from spec.pending p
      where p.connection = p_connection and p.run_id = (select q.run_id from spec.pending q where q.id = v_ids[1])
    );
  end if;
  with taken as (
    delete from spec.pending p where p.id = any (v_ids) returning p.*
  ), later as (
    insert into spec.pending (connection, kind, run_id, step_slug, task_index, claim_no, output, message, delay, permanent, free)
    select p_connection, t.again_kind, t.run_id, t.step_slug, t.task_index, t.claim_no, t.output, t.message, t.delay, t.permanent, t.free
    from taken t where t.again = 'later'
  ), reported as (
    select t.kind, t.id, t.run_id, t.step_slug, t.task_index, t.claim_no, t.output, t.message, t.delay, t.permanent, t.free from taken t
    union all
    select t.again_kind, t.id, t.run_id, t.step_slug, t.task_index, t.claim_no, t.output, t.message, t.delay, t.permanent, t.free
    from taken t where t.again = 'same'
  )
  insert into spec.entries (batch, kind, n, run_id, step_slug, task_index, claim_no, output, message, delay, permanent, free)
  select p_batch, r.kind, row_number() over (partition by r.kind order by r.shuffled, r.id), r.run_id, r.step_slug, r.task_index, r.claim_no, r.output,
    r.message, r.delay, r.permanent, r.free
  from (select r.*, random() as shuffled from reported r) r;
end;
$$;

-- Reports a batch's entries of one kind and notes the answers.
create function spec.report(p_batch bigint, p_kind text) returns void
language plpgsql as $$
declare
  v record;
  v_answers text[];
begin
  select array_agg(e.run_id order by e.n) as run_ids, array_agg(e.step_slug order by e.n) as step_slugs,
    array_agg(e.task_index order by e.n) as task_indexes, array_agg(e.claim_no order by e.n) as claim_nos,
    array_agg(e.output order by e.n) as outputs, array_agg(e.message order by e.n) as messages, array_agg(e.delay order by e.n) as delays,
    array_agg(e.permanent order by e.n) as permanent, array_agg(e.free order by e.n) as free
  into v from spec.entries e where e.batch = p_batch and e.kind = p_kind;
  if v.run_ids is null then
    return;
  elsif p_kind = 'complete' then
    select array_agg(a.answer order by a.ordinal) into v_answers
    from pgflow.complete_tasks(v.run_ids, v.step_slugs, v.task_indexes, v.claim_nos, v.outputs) a;
  elsif p_kind = 'fail' then
    select array_agg(a.answer order by a.ordinal) into v_answers
    from pgflow.fail_tasks(v.run_ids, v.step_slugs, v.task_indexes, v.claim_nos, v.messages, v.delays, v.permanent, v.free) a;
  else
    select array_agg(a.answer order by a.ordinal) into v_answers
    from pgflow.release_tasks(v.run_ids, v.step_slugs, v.task_indexes, v.claim_nos) a;
  end if;
  update spec.entries e set answer = a.answer
  from unnest(v_answers) with ordinality a (answer, n)
  where e.batch = p_batch and e.kind = p_kind and e.n = a.n;
end;
$$;

-- Notes for how long the messages of failed tasks in one queue are hidden.
create function spec.note_delays(p_batch bigint, p_queue text, p_begun timestamptz, p_ended timestamptz) returns void
language plpgsql as $$
begin
  execute format($q$
    update spec.entries e set waits_least = extract(epoch from m.vt - $3), waits_most = extract(epoch from m.vt - $2)
    from pgflow.step_tasks t
    join pgmq.%1$I m on m.msg_id = t.message_id
    where e.batch = $1 and e.kind in ('fail', 'release') and e.answer = 'done'
      and t.run_id = e.run_id and t.step_slug = e.step_slug and t.task_index = e.task_index
      and t.queue_name = %2$L and t.status = 'queued' $q$, pgmq.format_table_name(p_queue, 'q'), p_queue)
  using p_batch, p_begun, p_ended;
end;
$$;

-- The claim at the end of a batch; what it claims becomes pending with its outcomes. Returns the number of tasks.
create function spec.claim(p_connection int, p_batch bigint, p_queue spec.queues, p_quantity int) returns int
language plpgsql as $$
declare
  v_answers text[];
  v_claimed int;
begin
  with claimed as (
    select * from pgflow.claim_tasks(p_queue.worker_id, 1, p_queue.queue_name, p_quantity) c
  ), noted as (
    insert into spec.claims
    select p_batch, c.run_id, c.step_slug, c.task_index, c.claim_no, c.attempt, c.max_attempts, c.timeout_s, c.input::jsonb, case when c.is_root then c.input::jsonb end
    from claimed c where c.kind = 'task'
  )
  select array_agg(concat_ws(' ', c.kind, c.status, c.flow_slug, c.step_slug)) filter (where c.kind <> 'task') into v_answers from claimed c;
  if v_answers <> array['answer ok'] then
    raise exception 'a claim on % says %', p_queue.queue_name, v_answers;
  end if;
  insert into spec.pending (connection, kind, run_id, step_slug, task_index, claim_no, output, message, delay, permanent, free, again, again_kind)
  select p_connection, o.kind, c.run_id, c.step_slug, c.task_index, c.claim_no, o.output, o.message, o.delay, o.permanent, o.free, o.again, o.again_kind
  from spec.claims c
  join spec.outcomes o on o.run_id = c.run_id and o.step_slug = c.step_slug and o.n = (c.task_index + 3 * ((c.claim_no & 1048575) - 1)) % 7
  where c.batch = p_batch
  order by c.run_id, c.step_slug, c.task_index;
  get diagnostics v_claimed = row_count;
  return v_claimed;
end;
$$;

-- One batch: everything that the host puts into one transaction. True if it did something.
create function spec.work(p_connection int, p_is_checked boolean) returns boolean
language plpgsql as $$
declare
  v_queue spec.queues;
  v_batch bigint;
  v_run_ids uuid[];
  v_size int := case when random() < 0.2 then 0 else floor(random() * 20)::int end;
  v_begun timestamptz;
  v_claimed int;
begin
  select q.* into v_queue from spec.queues q order by random(), q.n limit 1;
  insert into spec.batches (connection, kind) values (p_connection, 'work') returning batch into v_batch;
  perform spec.take(p_connection, v_batch, v_size);
  v_run_ids := array(select distinct e.run_id from spec.entries e where e.batch = v_batch);
  perform pgflow.lock_runs(v_run_ids, v_queue.queue_name);
  update spec.batches b set locked_at = clock_timestamp(), run_ids = v_run_ids where b.batch = v_batch;
  perform spec.report(v_batch, 'complete');
  v_begun := clock_timestamp();
  perform spec.report(v_batch, 'fail');
  perform spec.report(v_batch, 'release');
  perform spec.note_delays(v_batch, v_queue.queue_name, v_begun, clock_timestamp());
  v_claimed := spec.claim(p_connection, v_batch, v_queue, floor(random() * 12 + 1)::int);
  if p_is_checked then
    insert into spec.violations select v_batch, i.* from pgflow.check_invariants(true) i;
  end if;
  return v_claimed > 0 or v_run_ids <> '{}';
end;
$$;

-- Goes on until every run has ended and all is reported, or until nothing has happened anywhere for a while.
create procedure spec.drive(p_connection int, p_seed float8, p_is_checked boolean)
language plpgsql as $$
declare
  v_round int := 0;
  v_busy boolean;
  v_idle int := 0;
  v_queue text;
begin
  perform setseed(p_seed);
  loop
    v_round := v_round + 1;
    v_busy := false;
    call spec.start_and_cancel(p_connection, v_round, v_busy);
    for v_queue in select q.queue_name from spec.queues q order by q.n loop
      perform spec.reveal(v_queue);
      commit;
    end loop;
    v_busy := spec.work(p_connection, p_is_checked) or v_busy;
    commit;
    exit when not exists (select from spec.pending p where p.connection = p_connection)
      and not exists (select from spec.runs r left join pgflow.runs s on s.run_id = r.run_id where coalesce(s.status, 'started') = 'started');
    v_idle := case when v_busy then 0 else v_idle + 1 end;
    exit when v_idle > 1000 and not exists (select from spec.batches b where b.run_ids <> '{}' and b.locked_at > clock_timestamp() - interval '3 seconds');
    if v_idle > 20 then
      perform pg_sleep(0.002);
    end if;
  end loop;
end;
$$;
