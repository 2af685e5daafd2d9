/* Every statement that the command line sends, but for the SQL files that migrate applies. No SQL is put together
 * from pieces. */
#ifndef LUAFLOW_CLI_STATEMENTS_H
#define LUAFLOW_CLI_STATEMENTS_H

#include "base/schema_faults.h"
#include "cli/statements_doctor.h"
#include "cli/statements_operate.h"

/* $1: a flow or an alias, $2: a status, $3: how many of the newest. */
#define RUNS_QUERY                                                                                        \
  "select r.* from pgflow.run_status r where ($1::text is null or r.flow_slug = $1 or r.flow_alias = $1)" \
  "   and ($2::text is null or r.status = $2) order by r.started_at desc, r.run_id limit $3::bigint"

/* X(name, number of parameters, text) */
#define DB_RUN_STATEMENTS(X)                                                                                           \
  X(BEGIN, 0, "begin")                                                                                                 \
  X(COMMIT, 0, "commit")                                                                                               \
  /* A command that follows a run looks at it from time to time; the next session of a pooler may idle too. */         \
  X(MAY_IDLE, 0,                                                                                                       \
    "select set_config('idle_session_timeout', '0', false)"                                                            \
    "  where current_setting('idle_session_timeout', true) is not null")                                               \
  X(BODIES_UNCHECKED, 0, "set local check_function_bodies = off")                                                      \
  X(SERVER, 0,                                                                                                         \
    "select current_setting('server_version_num')::int, current_setting('server_version'), "                           \
    "current_setting('server_encoding')")                                                                              \
  /* The schema's owner alone can take this lock. */                                                                   \
  X(LOCK_MIGRATIONS, 0, "lock table pgflow.migrations in share row exclusive mode")                                    \
  X(WAIT_BRIEFLY, 0, "set local lock_timeout = '2s'")                                                                  \
  /* The oldest transaction of others that uses tables or views which migrations change, and how to end it. */         \
  X(SCHEMA_HOLDER, 0,                                                                                                  \
    "select case when l.pid is null then 'a client that prepared it' else format('process %s (%s)', l.pid,"            \
    "         concat_ws(', ', nullif(a.application_name, ''), 'role ' || a.usename,"                                   \
    "           'since ' || a.xact_start::timestamptz(0))) end,"                                                       \
    "       coalesce('select pg_terminate_backend(' || l.pid || ')', 'see pg_prepared_xacts')"                         \
    "  from pg_catalog.pg_locks l"                                                                                     \
    "  join pg_catalog.pg_class c on c.oid = l.relation and c.relnamespace = to_regnamespace('pgflow')"                \
    "  left join pg_catalog.pg_stat_activity a on a.pid = l.pid"                                                       \
    " where l.locktype = 'relation' and l.granted and l.pid is distinct from pg_backend_pid()"                         \
    "   and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = current_database())"            \
    " order by a.xact_start limit 1")                                                                                  \
  X(PGMQ_STATE, 0,                                                                                                     \
    "select (select string_to_array(e.extversion, '.')::int[] >= '{1,5}' from pg_catalog.pg_extension e"               \
    "         where e.extname = 'pgmq'),"                                                                              \
    "       exists (select from pg_catalog.pg_class c where c.relname = 'meta'"                                        \
    "                 and c.relnamespace = to_regnamespace('pgmq')),"                                                  \
    "       exists (select from pg_catalog.pg_available_extensions a where a.name = 'pgmq'),"                          \
    "       (select e.extversion from pg_catalog.pg_extension e where e.extname = 'pgmq'),"                            \
    "       (select r.rolname from pg_catalog.pg_roles r where not r.rolsuper and r.rolname <> current_user and "      \
    "r.oid in ("                                                                                                       \
    "         select n.nspowner from pg_catalog.pg_namespace n where n.nspname = 'pgmq'"                               \
    "         union all select p.proowner from pg_catalog.pg_proc p where p.pronamespace = to_regnamespace('pgmq')"    \
    "         union all select c.relowner from pg_catalog.pg_class c where c.relnamespace = to_regnamespace('pgmq')"   \
    "           and (c.relname = 'meta' or not exists (select from pg_catalog.pg_extension x where x.extname = "       \
    "'pgmq')))"                                                                                                        \
    "         order by r.rolname limit 1),"                                                                            \
    "       (select case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end"            \
    "          from pg_catalog.pg_namespace n cross join aclexplode(n.nspacl) a"                                       \
    "         where n.nspname = 'pgmq' and a.privilege_type = 'CREATE' and a.grantee <> n.nspowner"                    \
    "           and not exists (select from pg_catalog.pg_roles r where r.oid = a.grantee and (r.rolsuper or "         \
    "r.rolname = current_user))"                                                                                       \
    "         order by 1 limit 1)")                                                                                    \
  X(CREATE_PGMQ, 0, "create extension if not exists pgmq")                                                             \
  /* The owner of the schema where it is neither a superuser nor this role, nor one that this role is a member of. */  \
  X(SCHEMA_OWNER, 0,                                                                                                   \
    "select r.rolname, current_user from pg_catalog.pg_namespace n join pg_catalog.pg_roles r on r.oid = n.nspowner"   \
    "  join pg_catalog.pg_roles me on me.rolname = current_user"                                                       \
    " where n.nspname = 'pgflow' and not r.rolsuper and r.oid <> me.oid"                                               \
    "   and (me.rolsuper or not pg_has_role(r.oid, 'usage'))")                                                         \
  X(HAS_ROLE, 1,                                                                                                       \
    "select coalesce((select pg_has_role(r.oid, 'usage') from pg_catalog.pg_roles r where r.rolname = $1), false)")    \
  X(SCHEMA_EXISTS, 0,                                                                                                  \
    "select to_regnamespace('pgflow') is not null,"                                                                    \
    "       exists (select from pg_catalog.pg_class c where c.relname = 'migrations'"                                  \
    "                 and c.relnamespace = to_regnamespace('pgflow'))")                                                \
  X(SCHEMA_HIDDEN, 0, SCHEMA_HIDDEN_SQL)                                                                               \
  X(SCHEMA_MISSING, 2, SCHEMA_MISSING_SQL("$1", "$2"))                                                                 \
  X(PLACE_TO_INSTALL, 0,                                                                                               \
    "select has_database_privilege(current_database(), 'create'), quote_ident(current_database()), "                   \
    "quote_ident(current_user),"                                                                                       \
    "       quote_ident(pg_get_userbyid(d.datdba)),"                                                                   \
    "       coalesce((select v.trusted or not v.superuser from pg_catalog.pg_available_extensions a"                   \
    "         join pg_catalog.pg_available_extension_versions v on v.name = a.name and v.version = a.default_version"  \
    "        where a.name = 'pgmq'), false)"                                                                           \
    "  from pg_catalog.pg_database d where d.datname = current_database()")                                            \
  /* Without their warnings: a role that could not be created may be there all the same (MISSING_ROLES). */            \
  X(WARN_OF_ERRORS_ONLY, 0, "set local client_min_messages = error")                                                   \
  X(MISSING_ROLES, 0,                                                                                                  \
    "select string_agg(r.name, ', ' order by r.n), string_agg(format('create role %I nologin;', r.name), ' ' order "   \
    "by r.n)"                                                                                                          \
    "  from unnest(array['pgflow_starter', 'pgflow_worker', 'pgflow_handler', 'pgflow_reader', 'pgflow_operator', "    \
    "'pgflow_compat'])"                                                                                                \
    "    with ordinality r (name, n)"                                                                                  \
    " where not exists (select from pg_catalog.pg_roles p where p.rolname = r.name)")                                  \
  /* What the owner of the functions needs and lacks, of PGMQ's objects: one row if it lacks something. */             \
  X(PGMQ_RIGHTS_LOST, 0,                                                                                               \
    "select quote_ident(o.rolname), quote_ident(current_database())"                                                   \
    "  from pg_catalog.pg_namespace f join pg_catalog.pg_roles o on o.oid = f.nspowner"                                \
    "  join pg_catalog.pg_namespace n on n.nspname = 'pgmq'"                                                           \
    " where f.nspname = 'pgflow' and (not has_schema_privilege(o.oid, n.oid, 'usage')"                                 \
    "    or not has_schema_privilege(o.oid, n.oid, 'create')"                                                          \
    "    or exists (select from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relname = 'meta'"             \
    "      and not (has_table_privilege(o.oid, c.oid, 'select') and has_table_privilege(o.oid, c.oid, 'insert')"       \
    "        and has_table_privilege(o.oid, c.oid, 'delete'))))")                                                      \
  X(SCHEMA_VERSION, 1,                                                                                                 \
    "select m.version, m.oldest_program,"                                                                              \
    "       string_to_array(m.oldest_program, '.')::int[] > string_to_array($1, '.')::int[]"                           \
    "  from pgflow.migrations m order by m.version desc limit 1")                                                      \
  X(MIGRATION_APPLIED, 2, "select m.checksum = $2 from pgflow.migrations m where m.version = $1::int")                 \
  X(RECORD_MIGRATION, 4,                                                                                               \
    "insert into pgflow.migrations (version, name, checksum, oldest_program) values ($1::int, $2, $3, $4)")            \
  X(DATABASE_EXISTS, 1, "select from pg_catalog.pg_database d where d.datname = $1")                                   \
  X(CREATE_STATISTICS, 0, "create extension if not exists pg_stat_statements schema public")                           \
  X(MARK_DEVELOPMENT, 0, "select pgflow.mark_development()")                                                           \
  /* Which files of ROOT/sql have been applied. */                                                                     \
  X(CREATE_SQL_FILES, 0,                                                                                               \
    "do $$ begin"                                                                                                      \
    "   create schema if not exists luaflow_dev;"                                                                      \
    "   create table if not exists luaflow_dev.sql_files"                                                              \
    "     (name text primary key, hash text not null, applied_at timestamptz not null default now());"                 \
    " end $$")                                                                                                         \
  X(SQL_FILE, 2, "select f.hash = md5($2) from luaflow_dev.sql_files f where f.name = $1")                             \
  X(NOTE_SQL_FILE, 2, "insert into luaflow_dev.sql_files (name, hash) values ($1, md5($2))")                           \
  X(LIVE_QUEUES, 1,                                                                                                    \
    "select count(distinct w.queue_name) from pgflow.worker_status(false) w"                                           \
    " where w.state = 'running' and w.started_at >= $1::timestamptz")                                                  \
  X(NOW, 0, "select clock_timestamp()")                                                                                \
  X(CHECK_JSON, 1, "select $1::jsonb is null")                                                                         \
  X(PRETTY, 1, "select jsonb_pretty($1::jsonb)")                                                                       \
  X(START_FLOW, 3,                                                                                                     \
    "select r.run_id, jsonb_build_object('run_id', r.run_id, 'flow_alias', r.flow_alias, 'flow_slug', r.flow_slug)"    \
    "  from pgflow.start_flow("                                                                                        \
    "flow_slug => $1, input => $2::jsonb, run_id => null, idempotency_key => $3) r")                                   \
  X(RUN, 1,                                                                                                            \
    "select r.run_id, r.flow_slug, r.flow_alias, r.status, r.duration_ms, r.age_ms, r.error_step_slug, "               \
    "r.error_message,"                                                                                                 \
    "       r.restart_of_run_id, r.restarted_as_run_id"                                                                \
    "  from pgflow.run_summary($1::uuid) r")                                                                           \
  X(RUN_OUTPUT, 1, "select r.output from pgflow.run_summary($1::uuid) r")                                              \
  X(RUN_OUTCOME, 1,                                                                                                    \
    "select jsonb_build_object('run_id', r.run_id, 'status', r.status) || case when r.status = 'completed'"            \
    "         then jsonb_build_object('output', r.output)"                                                             \
    "         else jsonb_build_object('error_step_slug', r.error_step_slug, 'error_message', r.error_message) end"     \
    "  from pgflow.run_summary($1::uuid) r")                                                                           \
  X(RUN_STEPS, 1,                                                                                                      \
    "select s.step_slug, s.step_type, s.status, s.initial_tasks, s.remaining_tasks, s.duration_ms, s.error_message,"   \
    "       s.skip_reason, s.attempts_count, s.task_phase, s.dependencies, s.max_attempts, s.unserved_queue, s.kept,"  \
    "       s.failing_task, s.failing_attempts_count, s.failing_error_message, s.next_attempt_ms, s.failed_tasks"      \
    "  from pgflow.run_steps($1::uuid) s")                                                                             \
  X(RUN_TASKS, 1,                                                                                                      \
    "select a.step_slug, a.attempts_count, a.failed_task, a.error_message from pgflow.run_attempts($1::uuid) a")       \
  X(RUN_JSON, 1, "select d.details from pgflow.run_details($1::uuid) as d (details) where d.details is not null")      \
  X(RUNS, 3,                                                                                                           \
    "select r.run_id, r.flow_slug, r.status, (extract(epoch from clock_timestamp() - r.started_at) * 1000)::bigint,"   \
    "       (extract(epoch from r.duration) * 1000)::bigint, r.steps_done, r.steps, r.error_step_slug, "               \
    "r.error_message"                                                                                                  \
    "  from (" RUNS_QUERY ") r order by r.started_at desc, r.run_id")                                                  \
  X(RUN_SAMPLES, 0, "select pgflow.run_samples(20, 20000)")                                                            \
  X(STARTABLE_NAMES, 0, "select distinct n.name from pgflow.names n where n.kind in ('flow', 'alias') order by 1")     \
  X(RUNS_JSON, 3,                                                                                                      \
    "select coalesce(jsonb_agg(to_jsonb(r) order by r.started_at desc, r.run_id), '[]') from ("                        \
    "  select s.run_id, s.flow_slug, s.flow_alias, s.started_as, s.status, s.started_at, s.completed_at, s.failed_at," \
    "         s.cancelled_at, s.remaining_steps, s.steps, s.steps_done, s.error_step_slug, s.error_message, "          \
    "s.restart_of_run_id"                                                                                              \
    "    from (" RUNS_QUERY ") s) r")

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
