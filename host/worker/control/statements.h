/* Every statement that the worker sends. They call functions of the schema; no SQL is put together from pieces. */
#ifndef LUAFLOW_WORKER_CONTROL_STATEMENTS_H
#define LUAFLOW_WORKER_CONTROL_STATEMENTS_H

#include "base/schema_faults.h"
#include "pg/pg_unit.h"

/* $1: this program's version, $2, $3: the functions and views that it needs (schema_part_names). */
#define SCHEMA_STATE_SQL \
  "select m.version, m.oldest_program,"                                                                          \
  " pg_catalog.string_to_array(m.oldest_program, '.')::int[] operator(pg_catalog.>) "                            \
  "pg_catalog.string_to_array($1::text, '.')::int[],"                                                            \
  " (select s.development from pgflow.settings s), (" SCHEMA_MISSING_SQL("$2", "$3") ")"                         \
  " from (values (1)) one left join (select * from pgflow.migrations n order by n.version desc limit 1) m on true"

#define DEPLOY_SQL(function, more)                                                                                   \
  "select flow_slug, status, alias_status, message, pg_catalog.to_json(differences),"                                \
  " pg_catalog.array_to_string(differences, E'\\n    '), pg_catalog.array_to_string(differences, ', '),"             \
  " nullif(lacking_workers, '[]') from pgflow." function "($1::uuid, $2::text, $3::text, $4::jsonb, $5::bigint" more \
  ")"

#define PREVIEW_SQL(call) \
  "select c.flow_slug, c.status, pg_catalog.to_json(c.differences), c.message from pgflow." call " c"

/* On the control connection. STMT(name, text) */
#define CONTROL_STATEMENTS(STMT)                                                                                      \
  STMT(SCHEMA, SCHEMA_STATE_SQL)                                                                                      \
  STMT(AWAIT_DEPLOYMENT, "select pgflow.await_deployment($1::uuid, $2::text, $3::text, $4::jsonb)")                   \
  STMT(AWAIT_FILES, "select pgflow.await_files($1::uuid, $2::text, $3::jsonb, $4)")                                   \
  STMT(PREVIEW, PREVIEW_SQL("preview_deployment($1::text, $2::jsonb)"))                                               \
  STMT(PREVIEW_FILES, PREVIEW_SQL("preview_files($1::jsonb)"))                                                        \
  STMT(DEPLOY_FILES, DEPLOY_SQL("deploy_files", ", $6::jsonb, pg_catalog.string_to_array($7, E'\\n'), $8, $9"))       \
  STMT(DEPLOY, DEPLOY_SQL("deploy_flows", ""))                                                                        \
  STMT(DEPLOY_EXISTING, DEPLOY_SQL("deploy_existing", ""))                                                            \
  STMT(HEARTBEAT,                                                                                                     \
       "select deprecated, function_enabled, schema_version, pg_catalog.array_to_string(lost_ordinals, ','),"         \
       " pg_catalog.array_to_string(cancelled_ordinals, ','), clock_jump_s, unknown, reload_request"                  \
       " from pgflow.worker_heartbeat($1::uuid, $2::uuid[], $3::text[], $4::int[], $5::bigint[], $6)")                \
  STMT(INPUT,                                                                                                         \
       "select case when i.bytes <= $2::bigint then i.input end, i.bytes from ("                                      \
       " select r.input, pg_catalog.octet_length(r.input) as bytes from (select pgflow.run_input($1::uuid)::text as " \
       "input offset 0) r offset 0) i")                                                                               \
  STMT(RECOVER, "select run_id, step_slug, task_index, reason, outcome from pgflow.recover_tasks($1::uuid)")          \
  STMT(TERMINATE,                                                                                                     \
       "select a.pid, pg_catalog.pg_terminate_backend(a.pid)"                                                         \
       " from unnest($1::int[], $2::text[]) b (pid, started)"                                                         \
       " cross join lateral pg_catalog.pg_stat_get_activity(b.pid) a"                                                 \
       " where extract(epoch from a.backend_start)::text = b.started")                                                \
  STMT(CANCEL,                                                                                                        \
       "select pg_catalog.pg_cancel_backend(a.pid) from pg_catalog.pg_stat_get_activity($1::int) a"                   \
       " where extract(epoch from a.backend_start)::text = $2")                                                       \
  STMT(INSTALLATION, "select pgflow.installation_id()")                                                               \
  STMT(REPORT_RELOAD, "select pgflow.report_reload($1::uuid, $2::text, $3::bigint)")                                  \
  STMT(REPORT_TROUBLE, "select pgflow.report_trouble($1::uuid, $2::text, $3::int, $4::text)")                         \
  STMT(REPORT_OLD_GENERATIONS,                                                                                        \
       "select pgflow.report_old_generations($1::uuid, $2::bigint[], $3::int[], $4::int[], $5::float8[], "            \
       "$6::float8[], $7::bigint[])")                                                                                 \
  STMT(STOP, "select pgflow.mark_worker_stopped($1::uuid)")

/* On the work connection. All but RECONCILE are the parts of one batch, in this order. */
#define WORK_STATEMENTS(STMT)                                                                                        \
  STMT(LOCK, "select pgflow.lock_batch($1::uuid[], $2::text, $3::boolean)")                                          \
  STMT(COMPLETE,                                                                                                     \
       "select ordinal, answer"                                                                                      \
       " from pgflow.complete_tasks($1::uuid[], $2::text[], $3::int[], $4::bigint[], $5::jsonb[])")                  \
  STMT(FAIL,                                                                                                         \
       "select ordinal, answer, retry_delay from pgflow.fail_tasks($1::uuid[], $2::text[], $3::int[], $4::bigint[]," \
       " $5::text[], $6::float8[], $7::boolean[], $8::boolean[])")                                                   \
  STMT(RELEASE,                                                                                                      \
       "select ordinal, answer from pgflow.release_tasks($1::uuid[], $2::text[], $3::int[], $4::bigint[],"           \
       " $5::int[], $6::boolean[], $7::float8[])")                                                                   \
  STMT(CLAIM,                                                                                                        \
       "select kind, status, next_visible_ms, more, flow_slug, run_id, step_slug, task_index, msg_id, claim_no,"     \
       " attempt, max_attempts, timeout_s, input, is_root, suspicion, lost_transactions, secret"                     \
       " from pgflow.claim_tasks($1::uuid, $2::bigint, $3::text, $4::int, $5::int)")                                 \
  STMT(RECONCILE,                                                                                                    \
       "select run_id, step_slug, task_index"                                                                        \
       " from pgflow.reconcile_claims($1::uuid, $2::uuid[], $3::text[], $4::int[], $5::bigint[])")

enum control_statement {
#define STMT(name, text) STMT_##name,
  CONTROL_STATEMENTS(STMT)
#undef STMT
      CONTROL_STATEMENT_COUNT
};

enum work_statement {
#define STMT(name, text) STMT_##name,
  WORK_STATEMENTS(STMT)
#undef STMT
      WORK_STATEMENT_COUNT
};

/* Indexed by the enums above. */
extern const struct pg_statement control_statements[CONTROL_STATEMENT_COUNT];
extern const struct pg_statement work_statements[WORK_STATEMENT_COUNT];

/* Settings of the sessions that call them; SQLSTATE 3F000 where there is no schema pgflow, LF001 where luaflow did
 * not make it, LF005 where row security hides rows of it. A wait for a lock ends before the connection's deadline: it
 * is answered, so that it is not taken for silence. */
enum {
  SETTINGS_ELSEWHERE_COUNT = 4, /* the first, for a database that has no schema of luaflow */
  SETTINGS_COUNT,
  HANDLER_SETTINGS_COUNT = 2
};
extern const char *const control_settings[SETTINGS_COUNT];
extern const char *const work_settings[SETTINGS_COUNT];
/* Of a session that handlers' statements run in: how values are written does not depend on the server's or the role's
 * settings, and a statement whose host was killed ends, if the server's system can detect that. */
extern const char *const handler_settings[HANDLER_SETTINGS_COUNT];
/* What DISCARD ALL does, without DISCARD PLANS: the plans of our functions are expensive. Then handler_settings. */
extern const char *const handler_reset[];
extern const int handler_reset_count;
/* The first and the last statement of a step's transaction. Their sessions are handlers', so nothing is prepared in
 * them. */
extern const char handler_open_sql[];
extern const char handler_rehearse_sql[];
extern const char handler_complete_sql[];
/* Between them, where the handler has run statements: takes back what it may have set that our own statement does not
 * work under. What its own deferred triggers may depend on stays, as the search path. */
enum { HANDLER_RESTORE_COUNT = 6 };
extern const char *const handler_restore[HANDLER_RESTORE_COUNT];

#endif
