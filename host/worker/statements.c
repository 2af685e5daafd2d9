/* The tables of statements. */
#include "worker/statements.h"

#define STMT(name, text) [STMT_##name] = {#name, text},
const struct pg_statement control_statements[CONTROL_STATEMENT_COUNT] = {CONTROL_STATEMENTS(STMT)};
const struct pg_statement work_statements[WORK_STATEMENT_COUNT] = {WORK_STATEMENTS(STMT)};
#undef STMT

const char session_settings[] = "select set_config('default_transaction_isolation', 'read committed', false)";
