/* The statements of the commands for operators. A list comes as columns for people and as one JSON value for
 * programs. */
#ifndef LUAFLOW_CLI_STATEMENTS_OPERATE_H
#define LUAFLOW_CLI_STATEMENTS_OPERATE_H

/* One JSON array of the rows of a query. */
#define JSON_OF(query) "select coalesce(jsonb_agg(to_jsonb(q)), '[]') from (" query ") q"

#define FUNCTIONS_QUERY "select * from pgflow.worker_function_status()"

/* $1: the stopped ones too, and those dead for more than a day. */
#define WORKERS_QUERY "select * from pgflow.worker_status($1::boolean)"

/* $1: workers, $2: the request. */
#define RELOAD_QUERY "select * from pgflow.reload_answers($1::uuid[], $2::bigint)"

#define QUEUES_QUERY                                                                                         \
  "select q.queue_name, q.depth, q.visible, (extract(epoch from q.oldest_age) * 1000)::bigint as oldest_ms," \
  "       q.in_flight, q.live_workers, q.uncovered_pairs, q.lacking_workers"                                 \
  "  from pgflow.queue_status q order by q.queue_name"

#define FLOWS_QUERY                                                                                          \
  "select f.flow_alias, f.flow_slug, f.active, f.deployed_at, f.activated_at, f.started_runs, f.tasks_left," \
  "       f.droppable, f.held_by, f.routes, f.last_option_change, f.option_changed_at, f.option_changed_by"  \
  "  from pgflow.flow_versions f order by f.flow_alias, f.active desc, f.deployed_at desc, f.flow_slug"

#define ROLLOUT_QUERY                                                                                               \
  "select r.function_name, r.queue_names, r.was_enabled, r.enabled, r.live_workers, r.tasks_in_flight, r.begun_at," \
  "       r.waiting_workers, r.refusals,"                                                                           \
  "       (extract(epoch from clock_timestamp() - r.begun_at) * 1000)::bigint as open_for_ms"                       \
  "  from pgflow.rollout_status() r order by r.function_name"

#define DB_OPERATE_STATEMENTS(X)                                                                                       \
  /* What the run was when the statement began tells whether this call cancelled it. */                                \
  X(CANCEL_RUN, 2,                                                                                                     \
    "select r.flow_slug, r.status, b.status = 'started' and r.status = 'cancelled', b.queued, b.started, to_jsonb(r)"  \
    "  from (select c.* from pgflow.run_task_counts($1::uuid) c offset 0) b"                                           \
    " cross join lateral pgflow.cancel_run(b.run_id, $2) r")                                                           \
  X(RETRY_RUN, 1, "select r.run_id, r.started_at < now(), r.status, $1::uuid from pgflow.retry_run($1::uuid) r")       \
  X(PRUNE, 2, "select pgflow.prune_data_older_than(make_interval(secs => $1::float8 / 1000), $2::int)")                \
  X(FUNCTIONS, 0,                                                                                                      \
    "select q.function_name, q.enabled, q.live_workers, nullif(array_to_string(q.queue_names, ', '), ''),"             \
    "       q.in_rollout, q.enabled_before_rollout"                                                                    \
    "  from (" FUNCTIONS_QUERY ") q")                                                                                  \
  X(FUNCTIONS_JSON, 0, JSON_OF(FUNCTIONS_QUERY))                                                                       \
  X(FUNCTION_NAMES, 0, "select n.name from pgflow.names n where n.kind = 'function' order by 1")                       \
  X(ENABLE_FUNCTIONS, 1,                                                                                               \
    "select f.function_name, f.was_enabled, s.live_workers from pgflow.enable_worker_functions($1::text[]) f"          \
    "  join pgflow.worker_function_status() s on s.function_name = f.function_name order by 1")                        \
  X(DISABLE_FUNCTIONS, 1,                                                                                              \
    "select f.function_name, f.was_enabled, s.live_workers from pgflow.disable_worker_functions($1::text[]) f"         \
    "  join pgflow.worker_function_status() s on s.function_name = f.function_name order by 1")                        \
  X(WORKERS, 1,                                                                                                        \
    "select q.worker_id, q.queue_name, q.function_name, q.state, q.generation, q.tasks_in_flight, q.heartbeat_age_ms," \
    "       nullif(concat_ws('; ',"                                                                                    \
    "         (select string_agg(t.trouble ->> 'message', '; ') from jsonb_array_elements(q.troubles) t (trouble)),"   \
    "         case when not q.troubles @> '[{\"trouble\": \"deployment\"}]'"                                           \
    "           then 'reload failed: ' || q.last_reload_error end), ''),"                                              \
    "       o.text, o.brief"                                                                                           \
    "  from (" WORKERS_QUERY                                                                                           \
    ") q cross join lateral ("                                                                                         \
    "    select string_agg(format('%s: %s task%s since %s until %s, %s', g.generation, g.tasks,"                       \
    "        case when g.tasks = 1 then '' else 's' end, g.oldest_since::timestamptz(0),"                              \
    "        g.deadline::timestamptz(0), pg_size_pretty(g.memory)), '; ' order by g.generation) as text,"              \
    "      format('%s (tasks: %s)', count(*), sum(g.tasks)) as brief"                                                  \
    "    from jsonb_to_recordset(q.old_generations) as g (generation bigint, tasks int, oldest_since timestamptz,"     \
    "      deadline timestamptz, memory bigint)) o")                                                                   \
  X(WORKERS_JSON, 1, JSON_OF(WORKERS_QUERY))                                                                           \
  X(REQUEST_RELOAD, 1,                                                                                                 \
    "select array_agg(r.worker_id), max(r.request), count(*) from pgflow.request_reload($1::text[]) r")                \
  X(MOVED_ALIASES, 2, "select m.message, m.moved_back from pgflow.moved_aliases($1::uuid[], $2::timestamptz) m")       \
  X(RELOAD_ANSWERS, 2, "select q.worker_id, q.queue_name, q.answer, q.generation, q.reason from (" RELOAD_QUERY ") q") \
  X(RELOAD_ANSWERS_JSON, 2, JSON_OF(RELOAD_QUERY))                                                                     \
  X(QUEUES, 0,                                                                                                         \
    "select q.queue_name, q.depth, q.visible, q.oldest_ms, q.in_flight, q.live_workers,"                               \
    "       concat_ws(': ', array_to_string(q.uncovered_pairs, ', '), (select 'lacked by ' || string_agg(format("      \
    "         '%s (%s)', left(l.worker_id::text, 8), l.function_name), ', ') from "                                    \
    "jsonb_to_recordset(q.lacking_workers) l"                                                                          \
    "         (worker_id uuid, function_name text)))"                                                                  \
    "  from (" QUEUES_QUERY ") q")                                                                                     \
  X(QUEUES_JSON, 0, JSON_OF(QUEUES_QUERY))                                                                             \
  X(FLOWS, 0,                                                                                                          \
    "select f.flow_alias, f.flow_slug, f.active, bool_or(f.active) over (partition by f.flow_alias), f.started_runs,"  \
    "       f.tasks_left, f.droppable, f.held_by, f.route_list, f.last_option_change,"                                 \
    "       (extract(epoch from clock_timestamp() - f.option_changed_at) * 1000)::bigint"                              \
    "  from pgflow.flow_versions f order by f.flow_alias, f.active desc, f.deployed_at desc, f.flow_slug")             \
  X(FLOWS_JSON, 0, JSON_OF(FLOWS_QUERY))                                                                               \
  X(ALIAS_NAMES, 0, "select n.name from pgflow.names n where n.kind = 'alias' order by 1")                             \
  X(FLOW_SLUGS, 0, "select n.name from pgflow.names n where n.kind = 'flow' order by 1")                               \
  X(RETIRE_ALIAS, 1, "select pgflow.retire_alias($1)")                                                                 \
  X(FORGET_FLOW, 1, "select pgflow.forget_flow($1)")                                                                   \
  X(FORGET_FUNCTION, 1, "select pgflow.forget_worker_function($1)")                                                    \
  /* What a deployment of a registry would do, and whether the worker function waits behind the fence. */              \
  X(PREVIEW, 3,                                                                                                        \
    "select p.flow_slug, p.status, p.alias_status, p.message, array_to_string(p.differences, E'\\n    '),"             \
    "       exists (select from pgflow.worker_function_status() f where f.function_name = $3 and not f.enabled),"      \
    "       to_jsonb(p)"                                                                                               \
    "  from pgflow.preview_deployment($1, $2::jsonb) p")                                                               \
  X(BEGIN_ROLLOUT, 2,                                                                                                  \
    "select b.function_name, b.was_enabled, b.function_name = any ($2::text[])"                                        \
    "  from pgflow.begin_rollout($1::text[], $2::text[]) b order by 1")                                                \
  X(ROLLOUT, 0,                                                                                                        \
    "select q.function_name, array_to_string(q.queue_names, ', '), q.was_enabled, q.enabled, q.live_workers,"          \
    "       q.tasks_in_flight, q.open_for_ms, q.waiting_workers,"                                                      \
    "       (select string_agg(format('%s of queue %s: %s', left(r.worker_id::text, 8), r.queue_name, r.message), "    \
    "E'\\n')"                                                                                                          \
    "          from jsonb_to_recordset(q.refusals) r (worker_id uuid, queue_name text, message text))"                 \
    "  from (" ROLLOUT_QUERY ") q")                                                                                    \
  X(ROLLOUT_JSON, 0,                                                                                                   \
    "select jsonb_build_object('step', case when count(*) = 0 then 'none'"                                             \
    "         when sum(q.live_workers) > 0 then 'draining' else 'drained' end,"                                        \
    "         'functions', coalesce(jsonb_agg(to_jsonb(q)), '[]')) from (" ROLLOUT_QUERY ") q")                        \
  X(FINISH_ROLLOUT, 1, "select f.function_name, f.enabled from pgflow.finish_rollout($1::boolean) f order by 1")

#endif
