/* Every 10 s: puts back the tasks of this queue whose worker is dead or whose time is over, and repairs its messages;
 * see recover_tasks in sql/. A round that takes too long would hold the heartbeats up: the next ones have a connection
 * of their own. */
#ifndef LUAFLOW_WORKER_CONTROL_RECOVERY_H
#define LUAFLOW_WORKER_CONTROL_RECOVERY_H

#include <uv.h>

#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/leftovers.h"
#include "worker/control/troubles.h"

struct recovery;

struct recovery_options {
  const char *conninfo, *source, *application_name; /* of its own connection, see struct pg_options */
  const char *worker_id;
  struct pg *pg; /* with control_statements */
  struct leftovers *leftovers;
  struct troubles *troubles;
};

/* Starts. What the options name is borrowed until recovery_stop. */
struct recovery *recovery_new(uv_loop_t *loop, const struct recovery_options *options, struct log *log);
/* Ends and frees; before pg is closed. NULL is allowed. */
void recovery_stop(struct recovery *recovery);

#endif
