/* The tables of statements. */
#include "worker/control/statements.h"

#include "base/schema_faults.h"
#include "pg/pins.h"

#define STMT(name, text) [STMT_##name] = {#name, text},
const struct pg_statement control_statements[CONTROL_STATEMENT_COUNT] = {CONTROL_STATEMENTS(STMT)};
const struct pg_statement work_statements[WORK_STATEMENT_COUNT] = {WORK_STATEMENTS(STMT)};
#undef STMT

/* The server keeps the transaction of a machine that has vanished, and its locks, until it knows that; without these
 * settings after hours. */
#define KEEPALIVES                                                                                                    \
  "pg_catalog.set_config('tcp_keepalives_idle', '10', false), pg_catalog.set_config('tcp_keepalives_interval', '5', " \
  "false),"                                                                                                           \
  " pg_catalog.set_config('tcp_keepalives_count', '3', false), pg_catalog.set_config('tcp_user_timeout', '25s', "     \
  "false)"

static const char keepalives[] = "select " KEEPALIVES;
#define LOST_RIGHTS "whose rights are lost, as after a restore without privileges: luaflow migrate grants them again"
static const char own_schema[] =
    "do $$ declare v_message text; v_hint text; begin"
    " if pg_catalog.to_regnamespace('pgflow') is null then"
    "  raise exception 'there is no schema pgflow' using errcode = '3F000';"
    " end if;"
    " if not exists (select from pg_catalog.pg_class c"
    "   where c.relname = 'migrations' and c.relnamespace = pg_catalog.to_regnamespace('pgflow')) then"
    "  raise exception 'foreign schema pgflow' using errcode = 'LF001';"
    " end if;"
    " if not pg_catalog.has_schema_privilege('pgflow', 'usage') or exists (select from pg_catalog.pg_proc p"
    "   where p.pronamespace = pg_catalog.to_regnamespace('pgflow') and p.proname = 'worker_heartbeat'"
    "     and not pg_catalog.has_function_privilege(p.oid, 'execute')) then"
    "  raise exception 'permission denied for %', case when pg_catalog.has_schema_privilege('pgflow', 'usage')"
    "   then 'function pgflow.worker_heartbeat' else 'schema pgflow' end using errcode = '42501', hint = coalesce(("
    "   select pg_catalog.format('role %s is a member of pgflow_worker, " LOST_RIGHTS
    "', current_user) from pg_catalog.pg_roles r"
    "   where r.rolname = 'pgflow_worker' and pg_catalog.pg_has_role(r.oid, 'usage')), '');"
    " end if;"
    " select h.message, h.hint into v_message, v_hint from (" SCHEMA_HIDDEN_SQL
    ") h;"
    " if found then raise exception '%', v_message using errcode = 'LF005', hint = v_hint; end if;"
    " end $$";

/* Both sessions are in UTC: functions write times into what they store and send. */
#define SETTINGS(lock_timeout) \
  PIN_NO_TIMEOUT, "set timezone = 'UTC'", PIN_STATEMENTS(lock_timeout, "false"), keepalives, own_schema
const char *const control_settings[SETTINGS_COUNT] = {SETTINGS("4s")};
const char *const work_settings[SETTINGS_COUNT] = {SETTINGS("10s")};
#undef SETTINGS

static const char handler_values[] = PIN_VALUES("false");
static const char handler_keepalives[] = "select " KEEPALIVES
                                         ", case when pg_catalog.version() ~ 'linux|darwin|bsd' then "
                                         "pg_catalog.set_config('client_connection_check_interval', '2s', false) end";
const char *const handler_settings[HANDLER_SETTINGS_COUNT] = {handler_values, handler_keepalives};
const char *const handler_reset[] = {
    "close all",    "set session authorization default",
    "reset all",    "deallocate all",
    "unlisten *",   "select pg_catalog.pg_advisory_unlock_all()",
    "discard temp", "discard sequences",
    handler_values, handler_keepalives,
};
const int handler_reset_count = sizeof handler_reset / sizeof *handler_reset;
const char *const handler_restore[HANDLER_RESTORE_COUNT] = {
    "reset statement_timeout",
    "reset lock_timeout",
    "set session authorization default",
    "reset role",
    PIN_VALUES("true"),
    "select pg_catalog.set_config('session_replication_role', 'origin', true)"
    " where pg_catalog.current_setting('session_replication_role') operator(pg_catalog.<>) 'origin'",
};
const char handler_open_sql[] =
    "select pgflow.open_transaction($1::pg_catalog.uuid, $2::pg_catalog.text, $3::int, $4::bigint, "
    "$5::pg_catalog.text, $6::bigint)";
const char handler_rehearse_sql[] = "select pgflow.rehearse_transaction($1::bigint)";
const char handler_complete_sql[] =
    "select pgflow.complete_transaction($1::pg_catalog.uuid, $2::pg_catalog.uuid, $3::pg_catalog.text, $4::int, "
    "$5::bigint, "
    "$6::pg_catalog.jsonb)";
