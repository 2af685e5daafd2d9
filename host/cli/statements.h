/* Every statement that the command line sends, but for the SQL files that migrate applies. No SQL is put together from pieces. */
#ifndef LUAFLOW_CLI_STATEMENTS_H
#define LUAFLOW_CLI_STATEMENTS_H

#include "cli/statements_doctor.h"
#include "cli/statements_operate.h"

/* X(name, number of parameters, text) */
#define DB_RUN_STATEMENTS(X)                                                                                                                   \
  X(BEGIN, 0, "begin")                                                                                                                         \
  X(COMMIT, 0, "commit")                                                                                                                       \
  X(QUIET, 0, "set client_min_messages = warning")                                                                                             \
  X(BODIES_UNCHECKED, 0, "set local check_function_bodies = off")                                                                              \
  X(SERVER_VERSION, 0, "select current_setting('server_version_num')::int, current_setting('server_version')")                                 \
  /* "luaflow" in ASCII: all migrations of a database queue up behind this key. */                                                             \
  X(LOCK_MIGRATIONS, 0, "select pg_advisory_lock(30528358675410807)")                                                                          \
  X(UNLOCK_MIGRATIONS, 0, "select pg_advisory_unlock(30528358675410807)")                                                                      \
  X(PGMQ_STATE, 0,                                                                                                                             \
    "select (select string_to_array(e.extversion, '.')::int[] >= '{1,5}' from pg_catalog.pg_extension e"                                       \
    "         where e.extname = 'pgmq'),"                                                                                                      \
    "       to_regclass('pgmq.meta') is not null,"                                                                                             \
    "       exists (select from pg_catalog.pg_available_extensions a where a.name = 'pgmq'),"                                                  \
    "       (select e.extversion from pg_catalog.pg_extension e where e.extname = 'pgmq')")                                                    \
  X(CREATE_PGMQ, 0, "create extension if not exists pgmq")                                                                                     \
  X(SCHEMA_EXISTS, 0, "select to_regnamespace('pgflow') is not null, to_regclass('pgflow.migrations') is not null")                            \
  X(SCHEMA_VERSION, 1,                                                                                                                         \
    "select m.version, m.oldest_program,"                                                                                                      \
    "       string_to_array(m.oldest_program, '.')::int[] > string_to_array($1, '.')::int[]"                                                   \
    "  from pgflow.migrations m order by m.version desc limit 1")                                                                              \
  X(MIGRATION_APPLIED, 2, "select m.checksum = $2 from pgflow.migrations m where m.version = $1::int")                                         \
  X(RECORD_MIGRATION, 4,                                                                                                                       \
    "insert into pgflow.migrations (version, name, checksum, oldest_program) values ($1::int, $2, $3, $4)")                                    \
  X(DATABASE_EXISTS, 1, "select from pg_catalog.pg_database d where d.datname = $1")                                                           \
  X(CREATE_DATABASE, 0, "create database luaflow")                                                                                             \
  X(CREATE_STATISTICS, 0, "create extension if not exists pg_stat_statements")                                                                 \
  X(MARK_DEVELOPMENT, 0, "update pgflow.settings set development = true where not development")                                                \
  X(LIVE_QUEUES, 1,                                                                                                                            \
    "select count(distinct w.queue_name) from pgflow.workers w"                                                                                \
    " where w.stopped_at is null and w.started_at >= $1::timestamptz")                                                                         \
  X(NOW, 0, "select clock_timestamp()")                                                                                                        \
  X(CHECK_JSON, 1, "select $1::jsonb is null")                                                                                                 \
  X(PRETTY, 1, "select jsonb_pretty($1::jsonb)")                                                                                               \
  X(START_FLOW, 3,                                                                                                                             \
    "select r.run_id, r.flow_slug from pgflow.start_flow("                                                                                     \
    "flow_slug => $1, input => $2::jsonb, run_id => null, idempotency_key => $3) r")                                                           \
  X(RUN, 1,                                                                                                                                    \
    "select r.run_id, r.flow_slug, r.flow_alias, r.status,"                                                                                    \
    "       (extract(epoch from coalesce(r.completed_at, r.failed_at, r.cancelled_at, clock_timestamp())"                                      \
    "                           - r.started_at) * 1000)::bigint,"                                                                              \
    "       (extract(epoch from clock_timestamp() - r.started_at) * 1000)::bigint,"                                                            \
    "       r.error_step_slug, r.error_message, r.restart_of_run_id,"                                                                          \
    "       (select n.run_id from pgflow.runs n where n.restart_of_run_id = r.run_id)"                                                         \
    "  from pgflow.runs r where r.run_id = $1::uuid")                                                                                          \
  X(RUN_OUTPUT, 1, "select r.output from pgflow.runs r where r.run_id = $1::uuid")                                                             \
  X(RUN_OUTCOME, 1,                                                                                                                            \
    "select jsonb_build_object('run_id', r.run_id, 'status', r.status) || case when r.status = 'completed'"                                    \
    "         then jsonb_build_object('output', r.output)"                                                                                     \
    "         else jsonb_build_object('error_step_slug', r.error_step_slug, 'error_message', r.error_message) end"                             \
    "  from pgflow.runs r where r.run_id = $1::uuid")                                                                                          \
  /* A step a row in definition order; of tasks only the one of a single step and one that fails, so that a poll stays cheap. Its phase tells\
   * apart a task that nobody has taken and one that was put back; a snooze costs no attempt. The last column is the queue\
   * of a step that has gone on for 2 s while no live worker serves it. */ \
  X(RUN_STEPS, 1,                                                                                                                              \
    "select s.step_slug, s.step_type, st.status, st.initial_tasks, st.remaining_tasks,"                                                        \
    "       (extract(epoch from coalesce(st.completed_at, st.failed_at, st.skipped_at, clock_timestamp())"                                     \
    "                           - st.started_at) * 1000)::bigint,"                                                                             \
    "       coalesce(st.error_message, case when st.status = 'started' then t.error_message end),"                                             \
    "       st.skip_reason, t.attempts_count,"                                                                                                 \
    "       case when t.status <> 'queued' then t.status"                                                                                      \
    "            when t.settled_claim_no is distinct from t.claim_no then 'queued'"                                                            \
    "            when t.attempts_count = 0 then 'snoozed' else 'retrying' end,"                                                                \
    "       (select string_agg(d.dep_slug, ' ' order by p.step_index)"                                                                         \
    "          from pgflow.deps d join pgflow.steps p on p.flow_slug = d.flow_slug and p.step_slug = d.dep_slug"                               \
    "         where d.flow_slug = st.flow_slug and d.step_slug = st.step_slug),"                                                               \
    "       coalesce(s.opt_max_attempts, f.opt_max_attempts),"                                                                                 \
    "       case when st.status = 'started' and st.started_at < clock_timestamp() - interval '2 seconds'"                                      \
    "             and not exists (select from pgflow.workers w where w.queue_name = s.queue_name and w.stopped_at is "                         \
    "null"                                                                                                                                     \
    "                             and w.last_heartbeat_at > clock_timestamp() - interval '30 seconds')"                                        \
    "            then s.queue_name end,"                                                                                                       \
    "       st.status = 'completed' and st.completed_at < r.started_at,"                                                                       \
    "       u.task_index, u.attempts_count, u.error_message, case when u.status = 'queued' then"                                               \
    "         (extract(epoch from u.next_attempt_at - clock_timestamp()) * 1000)::bigint end"                                                  \
    "  from pgflow.step_states st"                                                                                                             \
    "  join pgflow.runs r on r.run_id = st.run_id"                                                                                             \
    "  join pgflow.steps s on s.flow_slug = st.flow_slug and s.step_slug = st.step_slug"                                                       \
    "  join pgflow.flows f on f.flow_slug = st.flow_slug"                                                                                      \
    "  left join pgflow.step_tasks t on t.run_id = st.run_id and t.step_slug = st.step_slug and t.task_index = 0"                              \
    "       and s.step_type = 'single'"                                                                                                        \
    "  left join lateral pgflow.failing_task(case when st.status = 'started' and r.status = 'started' then st.run_id "                         \
    "end,"                                                                                                                                     \
    "       st.step_slug) u on true"                                                                                                           \
    " where st.run_id = $1::uuid order by s.step_index")                                                                                       \
  /* The most attempts of each step's tasks, and one error.         */                                                                         \
  X(RUN_TASKS, 1,                                                                                                                              \
    "select t.step_slug,"                                                                                                                      \
    "       max(t.attempts_count),"                                                                                                            \
    "       min(t.task_index) filter (where t.error_message is not null and t.status <> 'completed'),"                                         \
    "       (array_agg(t.error_message order by t.task_index)"                                                                                 \
    "         filter (where t.error_message is not null and t.status <> 'completed'))[1]"                                                      \
    "  from pgflow.step_tasks t where t.run_id = $1::uuid group by t.step_slug")                                                               \
  X(RUN_JSON, 1,                                                                                                                               \
    "select jsonb_build_object('run', to_jsonb(r), 'steps', coalesce((select jsonb_agg("                                                       \
    "         to_jsonb(st) || jsonb_build_object('step_type', s.step_type, 'step_index', s.step_index,"                                        \
    "           'queue_name', s.queue_name, 'dependencies', (select coalesce(jsonb_agg(d.dep_slug order by "                                   \
    "d.dep_slug), '[]')"                                                                                                                       \
    "              from pgflow.deps d where d.flow_slug = s.flow_slug and d.step_slug = s.step_slug),"                                         \
    "           'tasks', (select jsonb_build_object("                                                                                          \
    "              'queued', count(*) filter (where t.status = 'queued'),"                                                                     \
    "              'started', count(*) filter (where t.status = 'started'),"                                                                   \
    "              'completed', count(*) filter (where t.status = 'completed'),"                                                               \
    "              'failed', count(*) filter (where t.status = 'failed'),"                                                                     \
    "              'skipped', count(*) filter (where t.status = 'skipped'),"                                                                   \
    "              'cancelled', count(*) filter (where t.status = 'cancelled'),"                                                               \
    "              'attempts', coalesce(sum(t.attempts_count), 0),"                                                                            \
    "              'errors', coalesce((jsonb_agg(jsonb_build_object('task_index', t.task_index, 'message', "                                   \
    "t.error_message)"                                                                                                                         \
    "                order by t.task_index) filter (where t.error_message is not null and t.status <> 'completed')), "                         \
    "'[]'))"                                                                                                                                   \
    "              from pgflow.step_tasks t where t.run_id = st.run_id and t.step_slug = st.step_slug))"                                       \
    "         order by s.step_index)"                                                                                                          \
    "         from pgflow.step_states st"                                                                                                      \
    "         join pgflow.steps s on s.flow_slug = st.flow_slug and s.step_slug = st.step_slug"                                                \
    "        where st.run_id = r.run_id), '[]'))"                                                                                              \
    "  from pgflow.runs r where r.run_id = $1::uuid")                                                                                          \
  X(RUNS, 3,                                                                                                                                   \
    "select r.run_id, r.flow_slug, r.status,"                                                                                                  \
    "       (extract(epoch from clock_timestamp() - r.started_at) * 1000)::bigint,"                                                            \
    "       (extract(epoch from coalesce(r.completed_at, r.failed_at, r.cancelled_at, clock_timestamp())"                                      \
    "                           - r.started_at) * 1000)::bigint,"                                                                              \
    "       st.done, st.total, r.error_step_slug, r.error_message"                                                                             \
    "  from pgflow.runs r cross join lateral ("                                                                                                \
    "       select count(*) as total, count(*) filter (where s.status not in ('created', 'started')) as done"                                  \
    "         from pgflow.step_states s where s.run_id = r.run_id) st"                                                                         \
    " where ($1::text is null or r.flow_slug = $1 or r.flow_alias = $1) and ($2::text is null or r.status = $2)"                               \
    " order by r.started_at desc, r.run_id limit $3::bigint")                                                                                  \
  X(STARTABLE_NAMES, 0,                                                                                                                        \
    "select f.flow_slug from pgflow.flows f union select a.flow_alias from pgflow.flow_aliases a order by 1")                                  \
  X(RUNS_JSON, 3,                                                                                                                              \
    "select coalesce(jsonb_agg(to_jsonb(r) order by r.started_at desc, r.run_id), '[]') from ("                                                \
    "  select r.run_id, r.flow_slug, r.flow_alias, r.started_as, r.status, r.started_at, r.completed_at, r.failed_at,"                         \
    "         r.cancelled_at, r.remaining_steps, r.error_step_slug, r.error_message,"                                                          \
    "         r.restart_of_run_id"                                                                                                             \
    "    from pgflow.runs r"                                                                                                                   \
    "   where ($1::text is null or r.flow_slug = $1 or r.flow_alias = $1) and ($2::text is null or r.status = $2)"                             \
    "   order by r.started_at desc, r.run_id limit $3::bigint) r")

#define DB_STATEMENTS(X)   \
  DB_RUN_STATEMENTS(X)     \
  DB_OPERATE_STATEMENTS(X) \
  DB_DOCTOR_STATEMENTS(X)

enum db_statement {
#define X(name, parameters, text) DB_##name,
  DB_STATEMENTS(X)
#undef X
};

#endif
