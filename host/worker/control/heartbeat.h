/* A sign of life every 2 s, with the tasks in flight; what the database answers comes back as events. */
#ifndef LUAFLOW_WORKER_CONTROL_HEARTBEAT_H
#define LUAFLOW_WORKER_CONTROL_HEARTBEAT_H

#include <uv.h>

#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/troubles.h"
#include "worker/pool/task.h"

struct heartbeat;

struct heartbeat_events {
  /* Visits every task that is claimed and whose result is not recorded; some possibly twice. */
  void (*each_task)(void *owner, void (*visit)(void *beat, const struct task *task), void *beat);
  void (*lost)(void *owner, uint64_t number);      /* the task is no longer this worker's */
  void (*cancelled)(void *owner, uint64_t number); /* its run was cancelled; possibly more than once */
  void (*deprecated)(void *owner);                 /* at every beat from then on */
  void (*unknown)(void *owner);                    /* the worker has no row; instead of it */
  void (*enabled)(void *owner);                    /* at every beat while the worker function is enabled */
  void (*asked)(void *owner, int64_t request);     /* to reload; at every beat until that is answered */
};

/* Starts beating. pg (with control_statements), worker_id and troubles are borrowed until heartbeat_stop. */
struct heartbeat *heartbeat_new(uv_loop_t *loop, struct pg *pg, const char *worker_id,
                                const struct heartbeat_events *events, void *owner, struct troubles *troubles,
                                struct log *log);
/* Beats now, or once the answer to the beat under way has come. NULL is allowed. */
void heartbeat_beat(struct heartbeat *heartbeat);
/* Ends and frees; before pg is closed. NULL is allowed. */
void heartbeat_stop(struct heartbeat *heartbeat);

#endif
