-- Helpers of the SQL specs, in a schema of their own; each spec includes this file inside its transaction and rolls all of it back.
-- Flows are deployed as a worker does it; runs and workers have numbers, so that a spec need not carry uuids about.

set local client_min_messages = warning;
create schema spec;

-- Run and worker ids by number.
create function spec.run(p_n int default 1) returns uuid
language sql immutable as $$ select format('00000000-0000-4000-8000-%s', lpad(p_n::text, 12, '0'))::uuid; $$;

create function spec.worker(p_n int default 1) returns uuid
language sql immutable as $$ select format('00000000-0000-4000-9000-%s', lpad(p_n::text, 12, '0'))::uuid; $$;

-- One step of a shape. Options are maxAttempts, baseDelay, timeout, startDelay.
create function spec.step(
  p_slug text, p_deps text[] default '{}', p_options jsonb default '{}', p_only_if jsonb default null, p_unless jsonb default null,
  p_when_unmet text default 'skip', p_when_exhausted text default 'fail', p_type text default 'single', p_when_element_exhausted text default null
) returns jsonb
language sql immutable as $$
  select jsonb_build_object(
    'slug', p_slug, 'stepType', p_type, 'dependencies', to_jsonb(p_deps), 'options', p_options,
    'whenUnmet', p_when_unmet, 'whenExhausted', p_when_exhausted,
    'requiredInputPattern', case when p_only_if is null then '{"defined": false}'::jsonb else jsonb_build_object('defined', true, 'value', p_only_if) end,
    'forbiddenInputPattern', case when p_unless is null then '{"defined": false}'::jsonb else jsonb_build_object('defined', true, 'value', p_unless) end
  ) || jsonb_strip_nulls(jsonb_build_object('whenElementExhausted', p_when_element_exhausted));
$$;

-- A map step: over the run's input, or over one dependency.
create function spec.map(
  p_slug text, p_dep text default null, p_options jsonb default '{}', p_only_if jsonb default null, p_unless jsonb default null,
  p_when_unmet text default 'skip', p_when_exhausted text default 'fail', p_when_element_exhausted text default null
) returns jsonb
language sql immutable as $$
  select spec.step(p_slug, array_remove(array[p_dep], null), p_options, p_only_if, p_unless, p_when_unmet, p_when_exhausted, 'map', p_when_element_exhausted);
$$;

-- One flow of a registry. Steps that p_routing does not name go to the queue named like the flow.
create function spec.flow(
  p_slug text, p_steps jsonb[], p_options jsonb default '{}', p_alias text default null, p_routing jsonb default '{}', p_retained boolean default false
) returns jsonb
language sql immutable as $$
  select jsonb_build_object(
    'slug', p_slug, 'alias', coalesce(p_alias, p_slug), 'retained', p_retained,
    'shape', jsonb_build_object('options', p_options, 'steps', to_jsonb(p_steps)),
    'routing', (select jsonb_object_agg(s ->> 'slug', lower(p_slug)) from unnest(p_steps) s) || p_routing
  );
$$;

-- Deploys a whole registry and gives the answer's rows about its flows. The queue is that of the first flow unless it is given.
create function spec.deploy_registry(
  p_flows jsonb[], p_queue text default null, p_worker int default 1, p_generation bigint default 1, p_function text default 'spec'
) returns table (flow_slug text, status text, alias_status text, differences text[], message text)
language sql volatile as $$
  select d.flow_slug, d.status, d.alias_status, d.differences, d.message from pgflow.deploy_flows(
    spec.worker(p_worker), p_function, coalesce(p_queue, lower(p_flows[1] ->> 'slug')),
    jsonb_build_object('queue', coalesce(p_queue, lower(p_flows[1] ->> 'slug')), 'function', p_function, 'flows', to_jsonb(p_flows)), p_generation
  ) d where d.status <> 'removed';
$$;

-- Deploys one flow from its steps, on the queue named like it; raises where that is refused.
create function spec.deploy(p_slug text, variadic p_steps jsonb[]) returns void
language plpgsql volatile as $$
declare
  v_refusal text;
begin
  select d.status into v_refusal from spec.deploy_registry(array[spec.flow(p_slug, p_steps)]) d
  where d.status not in ('created', 'verified', 'recreated');
  if found then
    raise exception 'fixture: deployment of % was refused: %', p_slug, v_refusal;
  end if;
end;
$$;

-- Starts a run of the given number.
create function spec.start(p_flow_slug text, p_input jsonb default '{}', p_run int default 1) returns void
language sql volatile as $$ select from pgflow.start_flow(p_flow_slug, p_input, spec.run(p_run)); $$;

-- Claims from a queue as the worker that deployed: 'step:index' of each claimed task, in the order given out.
create function spec.claim(p_queue text, p_quantity int default 1000, p_worker int default 1, p_generation bigint default 1) returns setof text
language sql volatile as $$
  select c.step_slug || ':' || c.task_index
  from pgflow.claim_tasks(spec.worker(p_worker), p_generation, p_queue, p_quantity) c where c.kind = 'task';
$$;

-- The same for its side effect alone.
create function spec.claim_all(p_queue text, p_quantity int default 1000) returns void
language plpgsql volatile as $$ begin perform spec.claim(p_queue, p_quantity); end; $$;

-- Rows by number, for their fields: (spec.task('step')).status.
create function spec.run_row(p_run int default 1) returns pgflow.runs
language sql volatile as $$ select r from pgflow.runs r where r.run_id = spec.run(p_run); $$;

create function spec.state(p_step text, p_run int default 1) returns pgflow.step_states
language sql volatile as $$ select s from pgflow.step_states s where s.run_id = spec.run(p_run) and s.step_slug = p_step; $$;

create function spec.task(p_step text, p_index int default 0, p_run int default 1) returns pgflow.step_tasks
language sql volatile as $$
  select t from pgflow.step_tasks t where t.run_id = spec.run(p_run) and t.step_slug = p_step and t.task_index = p_index;
$$;

-- {"step": "status"} of a run, and the statuses of one step's tasks by index.
create function spec.states(p_run int default 1) returns jsonb
language sql volatile as $$ select jsonb_object_agg(s.step_slug, s.status) from pgflow.step_states s where s.run_id = spec.run(p_run); $$;

create function spec.tasks(p_step text, p_run int default 1) returns text[]
language sql volatile as $$
  select array_agg(t.status order by t.task_index) from pgflow.step_tasks t where t.run_id = spec.run(p_run) and t.step_slug = p_step;
$$;

-- Which claim of its task a number is, from 1; 0: none.
create function spec.nth_claim(p_claim_no bigint) returns bigint
language sql immutable as $$ select p_claim_no & 1048575; $$;

-- The number of a task's nth claim, without n of its current one.
create function spec.claim_no(p_step text, p_index int default 0, p_run int default 1, p_nth bigint default null) returns bigint
language sql volatile as $$
  select coalesce(t.claim_no - spec.nth_claim(t.claim_no) + coalesce(p_nth, spec.nth_claim(t.claim_no)), p_nth)
  from (select (spec.task(p_step, p_index, p_run)).claim_no) t;
$$;

-- Callbacks with the current claim's number (or another one) for single tasks: the answer.
create function spec.complete(p_step text, p_output jsonb default 'null', p_index int default 0, p_run int default 1, p_claim_no bigint default null) returns text
language sql volatile as $$
  select a.answer from pgflow.complete_tasks(
    array[spec.run(p_run)], array[p_step], array[p_index], array[spec.claim_no(p_step, p_index, p_run, p_claim_no)], array[p_output]
  ) a;
$$;

create function spec.fail(
  p_step text, p_message text default 'boom', p_index int default 0, p_run int default 1, p_claim_no bigint default null,
  p_delay float8 default null, p_permanent boolean default false, p_free boolean default false
) returns text
language sql volatile as $$
  select a.answer from pgflow.fail_tasks(
    array[spec.run(p_run)], array[p_step], array[p_index], array[spec.claim_no(p_step, p_index, p_run, p_claim_no)],
    array[p_message], array[p_delay], array[p_permanent], array[p_free]
  ) a;
$$;

create function spec.release(p_step text, p_index int default 0, p_run int default 1, p_claim_no bigint default null) returns text
language sql volatile as $$
  select a.answer from pgflow.release_tasks(
    array[spec.run(p_run)], array[p_step], array[p_index], array[spec.claim_no(p_step, p_index, p_run, p_claim_no)]
  ) a;
$$;

-- What opens the transaction of a task's claim, and that transaction's token.
create function spec.secret(p_step text, p_index int default 0, p_run int default 1, p_claim_no bigint default 1) returns text
language sql volatile as $$
  select pgflow._transaction_secret(k.key, spec.run(p_run), p_step, p_index, spec.claim_no(p_step, p_index, p_run, p_claim_no)) from pgflow.transaction_keys k;
$$;

create function spec.open(p_step text, p_left_ms bigint default 60000) returns uuid
language sql volatile as $$ select pgflow.open_transaction(spec.run(), p_step, 0, spec.claim_no(p_step), spec.secret(p_step), p_left_ms); $$;

-- One call for several tasks, each with its current claim; the answers in the order given.
create function spec.complete_batch(p_runs int[], p_steps text[], p_indexes int[], p_outputs jsonb[]) returns text[]
language sql volatile as $$
  select array_agg(a.answer order by a.ordinal)
  from pgflow.complete_tasks(
    array(select spec.run(n) from unnest(p_runs) with ordinality as u (n, i) order by i), p_steps, p_indexes,
    array(select (spec.task(s, x, n)).claim_no from unnest(p_runs, p_steps, p_indexes) with ordinality as u (n, s, x, i) order by i), p_outputs
  ) a;
$$;

create function spec.fail_batch(
  p_runs int[], p_steps text[], p_indexes int[], p_messages text[], p_delays float8[] default null, p_permanent boolean[] default null, p_free boolean[] default null
) returns text[]
language sql volatile as $$
  select array_agg(a.answer order by a.ordinal)
  from pgflow.fail_tasks(
    array(select spec.run(n) from unnest(p_runs) with ordinality as u (n, i) order by i), p_steps, p_indexes,
    array(select (spec.task(s, x, n)).claim_no from unnest(p_runs, p_steps, p_indexes) with ordinality as u (n, s, x, i) order by i), p_messages,
    coalesce(p_delays, array_fill(null::float8, array[cardinality(p_runs)])),
    coalesce(p_permanent, array_fill(false, array[cardinality(p_runs)])), coalesce(p_free, array_fill(false, array[cardinality(p_runs)]))
  ) a;
$$;

-- Queues: messages waiting or hidden, messages archived, seconds until a task's message becomes visible, and all made visible.
create function spec.messages(p_queue text) returns bigint
language plpgsql volatile as $$
declare
  v_count bigint;
begin
  execute format('select count(*) from pgmq.%I', 'q_' || p_queue) into v_count;
  return v_count;
end;
$$;

create function spec.archived(p_queue text) returns bigint
language plpgsql volatile as $$
declare
  v_count bigint;
begin
  execute format('select count(*) from pgmq.%I', 'a_' || p_queue) into v_count;
  return v_count;
end;
$$;

create function spec.hidden_s(p_queue text, p_message_id bigint) returns numeric
language plpgsql volatile as $$
declare
  v_seconds numeric;
begin
  execute format('select extract(epoch from q.vt - clock_timestamp()) from pgmq.%I q where q.msg_id = $1', 'q_' || p_queue)
  using p_message_id into v_seconds;
  return v_seconds;
end;
$$;

create function spec.hidden_s_of(p_step text, p_index int default 0, p_run int default 1) returns numeric
language sql volatile as $$
  select spec.hidden_s(t.queue_name, t.message_id)
  from pgflow.step_tasks t where t.run_id = spec.run(p_run) and t.step_slug = p_step and t.task_index = p_index;
$$;

create function spec.make_visible(p_queue text) returns void
language plpgsql volatile as $$
begin
  execute format('update pgmq.%I set vt = clock_timestamp() - interval ''1 second''', 'q_' || p_queue);
end;
$$;

-- True where a number of seconds is the expected one; a spec may be up to two seconds late.
create function spec.about(p_seconds numeric, p_expected numeric) returns boolean
language sql immutable as $$ select coalesce(p_seconds <= p_expected + 0.5 and p_seconds > p_expected - 2, false); $$;

-- Lets a claim have been made some time ago.
create function spec.age_claim(p_step text, p_age interval, p_index int default 0, p_run int default 1) returns void
language sql volatile as $$
  update pgflow.step_tasks t set queued_at = now() - p_age, started_at = now() - p_age
  where t.run_id = spec.run(p_run) and t.step_slug = p_step and t.task_index = p_index;
$$;

-- Lets the clock jump, backwards where it is negative: all that is stored is as much farther away from it.
create function spec.jump(p_by interval, p_queue text) returns void
language plpgsql volatile as $$
begin
  update pgflow.workers w set last_heartbeat_at = w.last_heartbeat_at - p_by, unbroken_since = w.unbroken_since - p_by, clock_jumped_at = w.clock_jumped_at - p_by;
  update pgflow.step_tasks t set queued_at = t.queued_at - p_by, started_at = t.started_at - p_by;
  update pgflow.recoveries c set pulled_back_at = c.pulled_back_at - p_by;
  execute format('update pgmq.%I set vt = vt - $1, enqueued_at = enqueued_at - $1', 'q_' || p_queue) using p_by;
end;
$$;

-- A heartbeat with single tasks under their current claims, so many milliseconds after the last one by the worker's own clock: the jump that it found.
create function spec.beat(p_elapsed_ms bigint default 2000, p_worker int default 1, p_step text default null, variadic p_indexes int[] default '{}') returns bigint
language sql volatile as $$
  select h.clock_jump_s from pgflow.worker_heartbeat(
    spec.worker(p_worker), array(select spec.run() from unnest(p_indexes)), array(select p_step from unnest(p_indexes)), p_indexes,
    array(select (spec.task(p_step, i)).claim_no from unnest(p_indexes) i), p_elapsed_ms
  ) h;
$$;

-- Everything that deployments write, as one document, and everything that runs write.
create function spec.definitions() returns jsonb
language sql volatile as $$
  select jsonb_build_object(
    'flows', (select jsonb_agg(x order by x::text) from pgflow.flows x),
    'steps', (select jsonb_agg(x order by x::text) from pgflow.steps x),
    'deps', (select jsonb_agg(x order by x::text) from pgflow.deps x),
    'flow_aliases', (select jsonb_agg(x order by x::text) from pgflow.flow_aliases x),
    'alias_activations', (select jsonb_agg(x order by x::text) from pgflow.alias_activations x),
    'queues', (select jsonb_agg(x order by x::text) from pgflow.queues x),
    'workers', (select jsonb_agg(x order by x::text) from pgflow.workers x),
    'worker_handlers', (select jsonb_agg(x order by x::text) from pgflow.worker_handlers x),
    'pgmq', (select jsonb_agg(x.queue_name order by x.queue_name) from pgmq.meta x)
  );
$$;

create function spec.runtime() returns jsonb
language sql volatile as $$
  select jsonb_build_object(
    'runs', (select jsonb_agg(x order by x.run_id) from pgflow.runs x),
    'step_states', (select jsonb_agg(x order by x.run_id, x.step_slug) from pgflow.step_states x),
    'step_tasks', (select jsonb_agg(x order by x.run_id, x.step_slug, x.task_index) from pgflow.step_tasks x)
  );
$$;

-- Runs one statement under a role: its SQLSTATE, or 'fine'.
create function spec.outcome_as(p_role text, p_sql text) returns text
language plpgsql volatile as $$
begin
  execute format('set local role %I', p_role);
  execute p_sql;
  reset role;
  return 'fine';
exception when others then
  return sqlstate;
end;
$$;
