/* The tables of statements. */
#include "worker/statements.h"

#define STMT(name, text) [STMT_##name] = {#name, text},
const struct pg_statement control_statements[CONTROL_STATEMENT_COUNT] = {CONTROL_STATEMENTS(STMT)};
const struct pg_statement work_statements[WORK_STATEMENT_COUNT] = {WORK_STATEMENTS(STMT)};
#undef STMT

/* The server keeps the transaction of a machine that has vanished, and its locks, until it knows that; by itself after hours. */
#define KEEPALIVES                                                                                                    \
  "pg_catalog.set_config('tcp_keepalives_idle', '10', false), pg_catalog.set_config('tcp_keepalives_interval', '5', " \
  "false),"                                                                                                           \
  " pg_catalog.set_config('tcp_keepalives_count', '3', false), pg_catalog.set_config('tcp_user_timeout', '25s', "     \
  "false)"

#define SETTINGS(lock_timeout)                                                                        \
  "do $$ begin"                                                                                       \
  " perform pg_catalog.set_config('default_transaction_isolation', 'read committed', false),"         \
  "  pg_catalog.set_config('lock_timeout', '" lock_timeout "', false), " KEEPALIVES                   \
  ";"                                                                                                 \
  " if pg_catalog.to_regnamespace('pgflow') is not null"                                              \
  "  and not exists (select from pg_catalog.pg_class c"                                               \
  "   where c.relname = 'migrations' and c.relnamespace = pg_catalog.to_regnamespace('pgflow')) then" \
  "  raise exception 'foreign schema pgflow' using errcode = 'LF001';"                                \
  " end if;"                                                                                          \
  " end $$"
const char control_settings[] = SETTINGS("4s");
const char work_settings[] = SETTINGS("10s");
#undef SETTINGS
const char handler_settings[] =
    "select pg_catalog.set_config('bytea_output', 'hex', false), pg_catalog.set_config('extra_float_digits', '1', "
    "false),"
    " pg_catalog.set_config('DateStyle', 'ISO', false), pg_catalog.set_config('IntervalStyle', 'postgres', "
    "false), " KEEPALIVES
    ","
    " case when pg_catalog.version() ~ 'linux|darwin|bsd' then "
    "pg_catalog.set_config('client_connection_check_interval', '2s', false) end";
const char *const handler_reset[] = {
    "close all",      "set session authorization default",          "reset all",    "deallocate all",
    "unlisten *",     "select pg_catalog.pg_advisory_unlock_all()", "discard temp", "discard sequences",
    handler_settings,
};
const int handler_reset_count = sizeof handler_reset / sizeof *handler_reset;
const char handler_open_sql[] = "select pgflow.open_transaction($1::uuid, $2::text, $3::int, $4::bigint, $5::bigint)";
const char handler_complete_sql[] =
    "select pgflow.complete_transaction($1::uuid, $2::uuid, $3::text, $4::int, $5::bigint, $6::jsonb)";
