/* The statements of the commands for operators. A list comes as columns for people and as one JSON value for programs. */
#ifndef LUAFLOW_CLI_STATEMENTS_OPERATE_H
#define LUAFLOW_CLI_STATEMENTS_OPERATE_H

/* One JSON array of the rows of a query. */
#define JSON_OF(query) "select coalesce(jsonb_agg(to_jsonb(q)), '[]') from (" query ") q"

/* A heartbeat that lies in the future was sent before the clock was set back. */
#define RECENT_HEARTBEAT                                            \
  "w.last_heartbeat_at > clock_timestamp() - interval '30 seconds'" \
  " and w.last_heartbeat_at < clock_timestamp() + interval '30 seconds'"
#define LIVE_WORKER "w.stopped_at is null and " RECENT_HEARTBEAT

#define FUNCTIONS_QUERY                                                                                   \
  "select f.function_name, f.enabled, coalesce(w.live_workers, 0) as live_workers,"                       \
  "       coalesce(w.queue_names, '{}') as queue_names, r.function_name is not null as in_rollout,"       \
  "       r.was_enabled as enabled_before_rollout"                                                        \
  "  from pgflow.worker_functions f"                                                                      \
  "  left join (select w.function_name, count(*) filter (where " LIVE_WORKER                              \
  ") as live_workers,"                                                                                    \
  "                    array_agg(distinct w.queue_name order by w.queue_name) as queue_names"             \
  "               from pgflow.workers w group by w.function_name) w on w.function_name = f.function_name" \
  "  left join pgflow.rollout_status() r on r.function_name = f.function_name"                            \
  " order by f.function_name"

/* $1: the stopped ones too, and those dead for more than a day. */
#define WORKERS_QUERY                                                                                           \
  "select w.worker_id, w.queue_name, w.function_name, w.generation,"                                            \
  "       case when w.stopped_at is not null then 'stopped'"                                                    \
  "            when not (" RECENT_HEARTBEAT                                                                     \
  ") then 'dead'"                                                                                               \
  "            when w.deprecated_at is not null then 'draining' else 'running' end as state,"                   \
  "       coalesce(t.tasks_in_flight, 0) as tasks_in_flight, w.started_at, w.last_heartbeat_at,"                \
  "       greatest(extract(epoch from clock_timestamp() - w.last_heartbeat_at) * 1000, 0)::bigint as "          \
  "heartbeat_age_ms,"                                                                                           \
  "       w.deprecated_at, w.stopped_at, w.last_reload_error, w.last_reload_at,"                                \
  "       w.unrecorded_count, w.unrecorded_since, w.unrecorded_error,"                                          \
  "       w.recovery_failing_since, w.recovery_error"                                                           \
  "  from pgflow.workers w left join pgflow.worker_tasks() t on t.worker_id = w.worker_id"                      \
  " where $1::boolean or (w.stopped_at is null and w.last_heartbeat_at > clock_timestamp() - interval '1 day')" \
  " order by w.queue_name, w.started_at, w.worker_id"

#define QUEUES_QUERY                                                                                         \
  "select q.queue_name, q.depth, q.visible, (extract(epoch from q.oldest_age) * 1000)::bigint as oldest_ms," \
  "       q.in_flight, q.live_workers, q.uncovered_pairs"                                                    \
  "  from pgflow.queue_status q order by q.queue_name"

#define FLOWS_QUERY                                                                                          \
  "select f.flow_alias, f.flow_slug, f.active, f.deployed_at, f.activated_at, f.started_runs, f.tasks_left," \
  "       f.droppable, f.held_by, f.routes"                                                                  \
  "  from pgflow.flow_versions f order by f.flow_alias, f.active desc, f.deployed_at desc, f.flow_slug"

#define ROLLOUT_QUERY                                                                                               \
  "select r.function_name, r.queue_names, r.was_enabled, r.enabled, r.live_workers, r.tasks_in_flight, r.begun_at," \
  "       (extract(epoch from clock_timestamp() - r.begun_at) * 1000)::bigint as open_for_ms"                       \
  "  from pgflow.rollout_status() r order by r.function_name"

#define DB_OPERATE_STATEMENTS(X)                                                                                       \
  /* What the run was when the statement began tells whether this call cancelled it. */                                \
  X(CANCEL_RUN, 2,                                                                                                     \
    "select r.flow_slug, r.status, b.status = 'started' and r.status = 'cancelled', b.queued, b.started,"              \
    "       to_jsonb(r)"                                                                                               \
    "  from (select r.run_id, r.status,"                                                                               \
    "               (select count(*) from pgflow.step_tasks t where t.run_id = r.run_id and t.status = 'queued') as "  \
    "queued,"                                                                                                          \
    "               (select count(*) from pgflow.step_tasks t where t.run_id = r.run_id and t.status = 'started') as " \
    "started"                                                                                                          \
    "          from pgflow.runs r where r.run_id = $1::uuid offset 0) b"                                               \
    " cross join lateral pgflow.cancel_run(b.run_id, $2) r")                                                           \
  X(RETRY_RUN, 1, "select r.run_id, r.started_at < now(), to_jsonb(r) from pgflow.retry_run($1::uuid) r")              \
  X(PRUNE, 2, "select pgflow.prune_data_older_than(make_interval(secs => $1::float8 / 1000), $2::int)")                \
  X(FUNCTIONS, 0,                                                                                                      \
    "select q.function_name, q.enabled, q.live_workers, nullif(array_to_string(q.queue_names, ', '), ''),"             \
    "       q.in_rollout, q.enabled_before_rollout"                                                                    \
    "  from (" FUNCTIONS_QUERY ") q")                                                                                  \
  X(FUNCTIONS_JSON, 0, JSON_OF(FUNCTIONS_QUERY))                                                                       \
  X(FUNCTION_NAMES, 0, "select f.function_name from pgflow.worker_functions f order by f.function_name")               \
  X(ENABLE_FUNCTIONS, 1,                                                                                               \
    "select f.function_name, f.was_enabled,"                                                                           \
    "       (select count(*) from pgflow.workers w where w.function_name = f.function_name and " LIVE_WORKER           \
    ")"                                                                                                                \
    "  from pgflow.enable_worker_functions($1::text[]) f order by 1")                                                  \
  X(DISABLE_FUNCTIONS, 1,                                                                                              \
    "select f.function_name, f.was_enabled,"                                                                           \
    "       (select count(*) from pgflow.workers w where w.function_name = f.function_name and " LIVE_WORKER           \
    ")"                                                                                                                \
    "  from pgflow.disable_worker_functions($1::text[]) f order by 1")                                                 \
  X(WORKERS, 1,                                                                                                        \
    "select q.worker_id, q.queue_name, q.function_name, q.state, q.generation, q.tasks_in_flight,"                     \
    "       q.heartbeat_age_ms, q.last_reload_error, q.unrecorded_count, q.unrecorded_error, q.recovery_error"         \
    "  from (" WORKERS_QUERY ") q")                                                                                    \
  X(WORKERS_JSON, 1, JSON_OF(WORKERS_QUERY))                                                                           \
  X(QUEUES, 0,                                                                                                         \
    "select q.queue_name, q.depth, q.visible, q.oldest_ms, q.in_flight, q.live_workers,"                               \
    "       array_to_string(q.uncovered_pairs, ', ')"                                                                  \
    "  from (" QUEUES_QUERY ") q")                                                                                     \
  X(QUEUES_JSON, 0, JSON_OF(QUEUES_QUERY))                                                                             \
  /* The routes as people read them: "main: find, pay; pricing: price", or the queue alone where there is one. */      \
  X(FLOWS, 0,                                                                                                          \
    "select q.flow_alias, q.flow_slug, q.active, bool_or(q.active) over (partition by q.flow_alias),"                  \
    "       q.started_runs, q.tasks_left, q.droppable, q.held_by, r.routes"                                            \
    "  from (" FLOWS_QUERY                                                                                             \
    ") q cross join lateral ("                                                                                         \
    "       select case when count(*) = 1 then min(g.queue_name)"                                                      \
    "              else string_agg(g.queue_name || ': ' || g.step_slugs, '; ' order by g.queue_name) end as routes"    \
    "         from (select s.queue_name, string_agg(s.step_slug, ', ' order by s.step_index) as step_slugs"            \
    "                 from pgflow.steps s where s.flow_slug = q.flow_slug group by s.queue_name) g) r"                 \
    " order by q.flow_alias, q.active desc, q.deployed_at desc, q.flow_slug")                                          \
  X(FLOWS_JSON, 0, JSON_OF(FLOWS_QUERY))                                                                               \
  X(ALIAS_NAMES, 0, "select a.flow_alias from pgflow.flow_aliases a order by a.flow_alias")                            \
  X(FLOW_SLUGS, 0, "select f.flow_slug from pgflow.flows f order by f.flow_slug")                                      \
  X(RETIRE_ALIAS, 1, "select pgflow.retire_alias($1)")                                                                 \
  X(FORGET_FLOW, 1, "select pgflow.forget_flow($1)")                                                                   \
  X(FORGET_FUNCTION, 1, "select pgflow.forget_worker_function($1)")                                                    \
  X(BEGIN_ROLLOUT, 2,                                                                                                  \
    "select b.function_name, b.was_enabled, b.function_name = any ($2::text[])"                                        \
    "  from pgflow.begin_rollout($1::text[], $2::text[]) b order by 1")                                                \
  X(ROLLOUT, 0,                                                                                                        \
    "select q.function_name, array_to_string(q.queue_names, ', '), q.was_enabled, q.enabled, q.live_workers,"          \
    "       q.tasks_in_flight, q.open_for_ms"                                                                          \
    "  from (" ROLLOUT_QUERY ") q")                                                                                    \
  X(ROLLOUT_JSON, 0,                                                                                                   \
    "select jsonb_build_object('step', case when count(*) = 0 then 'none'"                                             \
    "         when sum(q.live_workers) > 0 then 'draining' else 'drained' end,"                                        \
    "         'functions', coalesce(jsonb_agg(to_jsonb(q)), '[]')) from (" ROLLOUT_QUERY ") q")                        \
  X(FINISH_ROLLOUT, 1, "select f.function_name, f.enabled from pgflow.finish_rollout($1::boolean) f order by 1")

#endif
