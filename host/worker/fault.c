/* By SQLSTATE, and by the statement that failed. */
#include "worker/fault.h"

#include <string.h>

static bool is_one_of(const struct err *err, const char *const *classes) {
  for (; *classes; classes++)
    if (strncmp(err->sqlstate, *classes, strlen(*classes)) == 0) return true;
  return false;
}

enum fault fault_of(const struct pg_unit *unit, const struct record_calls *calls, const struct err *err) {
  static const char *const conflict[] = {"40", NULL};
  /* Bad data, a violated constraint, a limit of the program. Message ids are ours. */
  static const char *const result[] = {"22", "23", "54", NULL};
  /* Connection, read-only, resources, operator, system, rights. */
  static const char *const server[] = {"08", "25", "42501", "53", "57", "58", NULL};
  const char *constraint = pg_unit_constraint(unit);
  int call = pg_unit_failed_call(unit);
  if (!*err->sqlstate) return FAULT_CONNECTION;
  if (is_one_of(err, conflict)) return FAULT_CONFLICT;
  if (call >= 0 && call == calls->index[STMT_CLAIM]) return FAULT_CLAIM;
  if (call < 0 || is_one_of(err, server)) return FAULT_SERVER;
  if (call == calls->index[STMT_LOCK] || !is_one_of(err, result)) return FAULT_MISSING;
  return constraint && strstr(constraint, "message_id") ? FAULT_MISSING : FAULT_RESULT;
}
