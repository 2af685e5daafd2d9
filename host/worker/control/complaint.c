/* The last message, and hints by SQLSTATE. */
#include "worker/control/complaint.h"

#include <string.h>

#include "base/sqlstate.h"

/* A read-only server, say, has another message for each statement. */
static bool is_same(const struct complaint *complaint, const struct err *err) {
  return complaint->said && strcmp(complaint->sqlstate, err->sqlstate) == 0 &&
         (sqlstate_is_condition(err->sqlstate) || strcmp(complaint->message, err->message) == 0);
}

bool complaint_has(const struct complaint *complaint, const struct err *err) { return is_same(complaint, err); }

bool complaint_is_new(struct complaint *complaint, const struct err *err) {
  if (is_same(complaint, err)) return false;
  complaint->said = true;
  memcpy(complaint->sqlstate, err->sqlstate, sizeof complaint->sqlstate);
  memcpy(complaint->message, err->message, sizeof complaint->message);
  return true;
}

bool outage_is_new(struct outage *outage, const struct err *err) {
  for (int i = 0; i < OUTAGE_REASONS; i++)
    if (is_same(&outage->reasons[i], err)) return false;
  struct complaint *reason = &outage->reasons[outage->next++ % OUTAGE_REASONS];
  return complaint_is_new(reason, err);
}

const char *outage_last(const struct outage *outage) {
  return outage->next ? outage->reasons[(outage->next - 1) % OUTAGE_REASONS].sqlstate : "";
}

bool outage_end(struct outage *outage) {
  bool had = outage->next > 0;
  *outage = (struct outage){0};
  return had;
}

bool complaint_end(struct complaint *complaint) {
  bool had = complaint->said;
  complaint->said = false;
  return had;
}

void complaint_add_rights_hint(struct err *err, const char *group, const char *role) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
  const char *quote = role[strspn(role, plain)] ? "\"" : "";
  if (*err->hint) return;
  err_hint(err,
           "role %s has the right; ask an administrator for `grant %s to %s%s%s`, or for `luaflow migrate` if %s "
           "itself is missing or has lost its rights",
           group, group, quote, role, quote, group);
}

void complaint_add_hint_for(struct err *err, const char *role) {
  if (sqlstate_lacks_right(err->sqlstate) && *role) complaint_add_rights_hint(err, "pgflow_worker", role);
  complaint_add_hint(err);
}

void complaint_add_hint(struct err *err) {
  static const char away[] = "the worker retries until the database answers; until then it keeps results in memory";
  static const struct {
    const char *sqlstate; /* "" for what did not come from the server */
    const char *hint;
  } hints[] = {
      {"", away},
      {"57P01", away},
      {"57P02", away},
      {"57P03", away},
      {"42501", "give the worker's role its rights: run `grant pgflow_worker to ...`, then `luaflow migrate`"},
  };
  if (*err->hint) return;
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (strcmp(err->sqlstate, hints[i].sqlstate) == 0) err_hint(err, "%s", hints[i].hint);
}

void complaint_log(struct complaint *complaint, struct log *log, const char *verb, const struct err *err) {
  struct err found = *err;
  complaint_add_hint(&found);
  if (complaint_is_new(complaint, &found)) LOG(log, LOG_WARN, verb, LOG_ERR(&found));
}
