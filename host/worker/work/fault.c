/* By SQLSTATE, and by the statement that failed. */
#include "worker/work/fault.h"

#include <string.h>

#include "base/sqlstate.h"
#include "pg/pg_blame.h"

/* Whether what the statement says of bad data speaks of the results themselves. Not so where the table that refused
 * them is not ours, where code that is not ours raised it (a trigger that somebody has added: the context's innermost
 * function is then the trigger's, in every language that the server speaks), and for message ids, which are ours. */
static bool is_of_results(const struct pg_unit *unit) {
  const char *schema = pg_unit_field(unit, PG_DIAG_SCHEMA_NAME);
  const char *context = pg_unit_field(unit, PG_DIAG_CONTEXT);
  const char *constraint = pg_unit_constraint(unit);
  bool called;
  bool is_ours = pg_blame_is_of(context, "pgflow", &called);
  if (schema && strcmp(schema, "pgflow") != 0) return false;
  if (constraint && strstr(constraint, "message_id")) return false;
  return is_ours || !called;
}

enum fault fault_of(const struct pg_unit *unit, const struct record_calls *calls, const struct err *err) {
  int call = pg_unit_failed_call(unit);
  if (!*err->sqlstate) return FAULT_CONNECTION;
  if (sqlstate_is_conflict(err->sqlstate)) return FAULT_CONFLICT;
  if (call >= 0 && call == calls->index[STMT_CLAIM]) return FAULT_CLAIM;
  if (call < 0 || sqlstate_is_of_server(err->sqlstate)) return FAULT_SERVER;
  if (call == calls->index[STMT_LOCK] || !sqlstate_is_of_data(err->sqlstate)) return FAULT_MISSING;
  return is_of_results(unit) ? FAULT_RESULT : FAULT_MISSING;
}
