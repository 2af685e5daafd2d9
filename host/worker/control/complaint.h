/* Reports a failure and what to do about it once, however often it happens. */
#ifndef LUAFLOW_WORKER_CONTROL_COMPLAINT_H
#define LUAFLOW_WORKER_CONTROL_COMPLAINT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/log.h"

/* Zeroed: nothing was reported. */
struct complaint {
  bool said;
  char sqlstate[sizeof(((struct err *)0)->sqlstate)];
  char message[sizeof(((struct err *)0)->message)];
};

/* True for an error that is not the one reported last. Conditions of the server go by their SQLSTATE, all else by the
 * message. */
bool complaint_is_new(struct complaint *complaint, const struct err *err) __attribute__((warn_unused_result));
/* Whether it is the error reported last. */
bool complaint_has(const struct complaint *complaint, const struct err *err);
/* An outage has several reasons in turn, each of which is reported once: true for one that none of the last was. */
enum { OUTAGE_REASONS = 4 };
struct outage {
  struct complaint reasons[OUTAGE_REASONS];
  int next;
};
bool outage_is_new(struct outage *outage, const struct err *err) __attribute__((warn_unused_result));
/* The SQLSTATE of the reason that was reported last; "" for none. */
const char *outage_last(const struct outage *outage);
/* It is over. True if something had been reported. */
bool outage_end(struct outage *outage);
/* A success: the next error is new again. True if something had been reported. */
bool complaint_end(struct complaint *complaint);
/* Adds to a database's error without a hint what the operator can do about it, where that is known. */
void complaint_add_hint(struct err *err);
/* The same of an error over a connection as that role, which is named where it lacks a right. */
void complaint_add_hint_for(struct err *err, const char *role);
/* The same of an error about a right that the role lacks and that the group role has, unless its grants were lost. */
void complaint_add_rights_hint(struct err *err, const char *group, const char *role);
/* Warns of a statement's failure, and of what to do about it, unless it is the one reported last. */
void complaint_log(struct complaint *complaint, struct log *log, const char *verb, const struct err *err);

#endif
