/* By SQLSTATE, and by the statement that failed. */
#include "worker/fault.h"

#include <string.h>

static bool is_one_of(const struct err *err, const char *const *classes) {
  for (; *classes; classes++)
    if (strncmp(err->sqlstate, *classes, strlen(*classes)) == 0) return true;
  return false;
}

/* Whether what the statement says of bad data speaks of the results themselves. Not so where the table that refused them is not ours, where code that is not
 * ours raised it (a trigger that somebody has added: the context's innermost function is then the trigger's, in every language that the
 * server speaks), and for message ids, which are ours. */
static bool is_of_results(const struct pg_unit *unit) {
  const char *schema = pg_unit_field(unit, PG_DIAG_SCHEMA_NAME);
  const char *context = pg_unit_field(unit, PG_DIAG_CONTEXT);
  const char *constraint = pg_unit_constraint(unit);
  const char *function = context ? strstr(context, "PL/") : NULL;
  if (schema && strcmp(schema, "pgflow") != 0) return false;
  if (constraint && strstr(constraint, "message_id")) return false;
  if (!function) return true;
  while (function > context && function[-1] != '\n') function--;
  const char *ours = strstr(function, "pgflow.");
  return ours && ours < function + strcspn(function, "(\n");
}

enum fault fault_of(const struct pg_unit *unit, const struct record_calls *calls, const struct err *err) {
  static const char *const conflict[] = {"40", NULL};
  /* Bad data, a violated constraint, a limit of the program. Message ids are ours. */
  static const char *const result[] = {"22", "23", "54", NULL};
  /* Connection, read-only, resources, operator, system, rights. */
  static const char *const server[] = {"08", "25", "42501", "53", "57", "58", NULL};
  int call = pg_unit_failed_call(unit);
  if (!*err->sqlstate) return FAULT_CONNECTION;
  if (is_one_of(err, conflict)) return FAULT_CONFLICT;
  if (call >= 0 && call == calls->index[STMT_CLAIM]) return FAULT_CLAIM;
  if (call < 0 || is_one_of(err, server)) return FAULT_SERVER;
  if (call == calls->index[STMT_LOCK] || !is_one_of(err, result)) return FAULT_MISSING;
  return is_of_results(unit) ? FAULT_RESULT : FAULT_MISSING;
}
