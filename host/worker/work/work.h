/* The work connection: results out and claims in, one pipelined transaction at a time, sent by work_go_on as soon as
 * the connection is idle. */
#ifndef LUAFLOW_WORKER_WORK_WORK_H
#define LUAFLOW_WORKER_WORK_WORK_H

#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/troubles.h"
#include "worker/pool/task.h"
#include "worker/work/claim.h"

struct work;

struct work_options { /* borrowed until work_close, except conninfo and application_name */
  const char *conninfo, *source;
  const char *application_name;
  const char *worker_id;
  const char *queue;
  int batch;
  int64_t max_input; /* bytes of the inputs of a claim, together */
  struct troubles *troubles;
};

struct work_events {
  void (*ready)(void *owner); /* connected, again after each loss */
  void (*lost)(void *owner, const struct err *err, int retry_ms);
  bool (*old_is_gone)(void *owner); /* the server's processes behind lost connections cannot commit any more */
  /* visits the tasks in flight */
  void (*in_flight)(void *owner, void (*visit)(void *arrays, const struct task *task), void *arrays);
  int (*free_slots)(void *owner);                  /* how many more tasks can be taken now */
  void (*claimed)(void *owner, struct task *task); /* the claim has committed; the owner takes the task over */
  void (*refused)(void *owner, enum claim_status status, const char *unknown); /* no task was claimed; see claim.h */
  void (*kick)(void *owner); /* a transaction was answered, or something may be due: work_go_on must follow */
};

/* NULL with *err if the conninfo cannot be read. */
struct work *work_new(uv_loop_t *loop, const struct work_options *options, const struct work_events *events,
                      void *owner, struct log *log, struct err *err) __attribute__((warn_unused_result));
void work_connect(struct work *work);
struct pg_backend work_last_backend(const struct work *work); /* see pg.h */
const char *work_role(const struct work *work);               /* see pg_role */
bool work_is_connected(const struct work *work);
/* Claims begin, under this generation. */
void work_start(struct work *work, int64_t generation);
/* No claim begins until work_start; one under way is still reported. */
void work_hold(struct work *work);
/* A claim is under way. */
bool work_is_claiming(const struct work *work);
/* No claim begins for 2 s. */
void work_pause_claims(struct work *work);
/* No claim begins any more; one under way is still reported. */
void work_stop_claiming(struct work *work);
/* Takes a settled task over, to be recorded. */
void work_record(struct work *work, struct task *task);
/* old_is_gone may have changed: what was claimed without an answer is put back, then work continues. Nothing is sent
 * on a new connection before that. */
void work_reconcile(struct work *work);
/* The queue may have work. */
void work_wake(struct work *work);
/* Somebody says that it has. */
void work_notify(struct work *work);
/* Sends what is due, if the connection is idle. Called after each kick, and when slots may have become free without a
 * result. */
void work_go_on(struct work *work);
/* Visits the tasks in flight and those whose results are not recorded yet. */
void work_each_task(const struct work *work, void (*visit)(void *visitor, const struct task *task), void *visitor);
/* Results not yet recorded. */
int work_unrecorded(const struct work *work);
/* True if nothing is to be recorded, no transaction is under way, and no claim was lost. */
bool work_is_idle(const struct work *work);
/* Closes the connection and frees, with the results that are not recorded. NULL is allowed. */
void work_close(struct work *work);

#endif
