/* What handlers ask of the database: ctx:query and the transactions of steps that have one. Knows no executor;
 * answers go to its owner. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLERS_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLERS_H

#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "worker/control/leftovers.h"
#include "worker/control/troubles.h"
#include "worker/handler_sql/handler_side.h"
#include "worker/pool/task.h"

struct handlers;

struct handlers_options {        /* borrowed until handlers_close */
  const char *conninfo, *source; /* source names it in errors */
  const char *application_name;
  int connections;
  int64_t max_output;        /* bytes of a result */
  bool patient;              /* a database that cannot be reached now is waited for */
  struct troubles *troubles; /* NULL: nothing is reported */
};

struct handlers_events {
  /* QUERY_REPLY for the task of that number. */
  void (*reply)(void *owner, uint64_t number, const struct buf *payload);
  /* Tasks that handlers_settle took over; the owner takes them back. */
  void (*settled)(void *owner, struct task *task);   /* its verdict is to be recorded */
  void (*restart)(void *owner, struct task *task);   /* its handler is to run again, as the same attempt */
  void (*completed)(void *owner, struct task *task); /* it was completed by its own transaction */
  void (*stale)(void *owner, struct task *task);     /* the database refused it as late */
  /* handlers_reach has another answer. */
  void (*checked)(void *owner);
  /* The conninfo is a mistake; not without control. */
  void (*refused)(void *owner, const struct err *err);
};

/* control (with control_statements) and leftovers are of the same server and role as the conninfo. Without leftovers
 * it makes both for itself, and compares the installation with that of control, if it is given. Of the same
 * installation only the server that control is connected to is used. NULL with *err if the conninfo cannot be read.
 * */
struct handlers *handlers_new(uv_loop_t *loop, const struct handlers_options *options, struct pg *control,
                              struct leftovers *leftovers, const struct handlers_events *events, void *owner,
                              struct log *log, struct err *err) __attribute__((warn_unused_result));
/* Whether a transaction of a handler is in the worker's own installation; *err says why not. */
enum handler_reach handlers_reach(const struct handlers *handlers, struct err *err);
/* A QUERY of the task of that number, whose claim is task (NULL: it has none; without a secret its transaction is a
 * rehearsal, which handlers_forget or handlers_close rolls back). False if the payload is not well
 * formed, or the one before was not answered. */
bool handlers_query(struct handlers *handlers, uint64_t number, const struct task *task, struct cursor *payload)
    __attribute__((warn_unused_result));
/* The task's handler has ended; what it waits for is ended too. True if the task was taken over: one of the events
 * follows. */
bool handlers_settle(struct handlers *handlers, struct task *task);
/* The same for a task of which nothing is recorded. */
void handlers_forget(struct handlers *handlers, uint64_t number);
/* Tasks taken over and not handed back. */
int handlers_count(const struct handlers *handlers);
void handlers_each(const struct handlers *handlers, void (*visit)(void *owner, const struct task *task), void *owner);
/* Leftovers of the owner's have settled. */
void handlers_old_is_gone(struct handlers *handlers);
/* The control connection has connected, maybe to another server. */
void handlers_look_home(struct handlers *handlers);
/* Closes all; no event follows. NULL is allowed. */
void handlers_close(struct handlers *handlers);

#endif
