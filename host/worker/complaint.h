/* Saying what is wrong once, with what to do about it, however often it goes wrong. */
#ifndef LUAFLOW_WORKER_COMPLAINT_H
#define LUAFLOW_WORKER_COMPLAINT_H

#include <stdbool.h>

#include "base/err.h"

/* Zeroed: nothing has been said. */
struct complaint {
  bool said;
  char sqlstate[sizeof(((struct err *)0)->sqlstate)];
  char message[sizeof(((struct err *)0)->message)];
};

/* True for an error that is not what was said last. Conditions of the server go by their SQLSTATE, all else by the message. */
bool complaint_is_new(struct complaint *complaint, const struct err *err) __attribute__((warn_unused_result));
/* It went well: the next error is new again. True if something had been said. */
bool complaint_end(struct complaint *complaint);
/* Adds to a database's error without a hint what the operator can do about it, where that is known. */
void complaint_add_hint(struct err *err);
/* The same of an error over a connection as that role, which is named where it lacks a right. */
void complaint_add_hint_for(struct err *err, const char *role);
/* The same of an error about a right that the role lacks and that the group role has. */
void complaint_add_rights_hint(struct err *err, const char *group, const char *role);
/* True for the SQLSTATE of a right that the role lacks: the connection itself is well. */
bool complaint_is_about_rights(const char *sqlstate);

#endif
