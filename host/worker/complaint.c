/* The last message, and hints by SQLSTATE. */
#include "worker/complaint.h"

#include <string.h>

/* A read-only server, say, has another message for each statement. */
static bool is_condition(const struct err *err) {
  static const char *const classes[] = {"25", "53", "55", "57"};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strncmp(err->sqlstate, classes[i], 2) == 0) return true;
  return false;
}

bool complaint_is_new(struct complaint *complaint, const struct err *err) {
  bool same = strcmp(complaint->sqlstate, err->sqlstate) == 0 &&
              (is_condition(err) || strcmp(complaint->message, err->message) == 0);
  if (complaint->said && same) return false;
  complaint->said = true;
  memcpy(complaint->sqlstate, err->sqlstate, sizeof complaint->sqlstate);
  memcpy(complaint->message, err->message, sizeof complaint->message);
  return true;
}

bool complaint_end(struct complaint *complaint) {
  bool had = complaint->said;
  complaint->said = false;
  return had;
}

bool complaint_is_about_rights(const char *sqlstate) { return strcmp(sqlstate, "42501") == 0; }

void complaint_add_rights_hint(struct err *err, const char *group, const char *role) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
  const char *quote = role[strspn(role, plain)] ? "\"" : "";
  if (*err->hint) return;
  err_hint(err, "role %s has the right; an administrator gives it: `grant %s to %s%s%s`", group, group, quote, role,
           quote);
}

void complaint_add_hint_for(struct err *err, const char *role) {
  if (complaint_is_about_rights(err->sqlstate) && *role) complaint_add_rights_hint(err, "pgflow_worker", role);
  complaint_add_hint(err);
}

void complaint_add_hint(struct err *err) {
  static const char away[] = "the worker tries again until the database answers; results are kept in memory meanwhile";
  static const struct {
    const char *sqlstate; /* "" for what did not come from the server */
    const char *hint;
  } hints[] = {
      {"", away},
      {"57P01", away},
      {"57P02", away},
      {"57P03", away},
      {"25006", "this server takes no writes: name the primary, or all servers with target_session_attrs=read-write"},
      {"42501", "give the worker's role what it lacks: `grant pgflow_worker to ...`, then `luaflow migrate`"},
      {"42883", "run `luaflow migrate`"},
      {"42P01", "a queue that was dropped comes back when a worker whose flows name it is started"},
      {"53100", "make room on the server's disk; results are kept in memory meanwhile"},
      {"53200", "the server is out of memory; results are kept in memory meanwhile"},
      {"53300", "raise max_connections of the server, or run fewer workers"},
      {"55P03", "somebody else holds the lock for long: look for old transactions in pg_stat_activity"},
  };
  if (*err->hint) return;
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strcmp(err->sqlstate, hints[i].sqlstate) == 0) err_hint(err, "%s", hints[i].hint);
}
