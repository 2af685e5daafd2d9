/* Every 10 s: puts back the tasks of this queue whose worker is dead or whose time is over, and repairs its messages;
 * see recover_tasks in sql/. */
#ifndef LUAFLOW_WORKER_CONTROL_RECOVERY_H
#define LUAFLOW_WORKER_CONTROL_RECOVERY_H

#include <uv.h>

#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/troubles.h"

struct recovery;

/* Starts. pg (with control_statements), worker_id and troubles are borrowed until recovery_stop. */
struct recovery *recovery_new(uv_loop_t *loop, struct pg *pg, const char *worker_id, struct troubles *troubles,
                              struct log *log);
/* Ends and frees; before pg is closed. NULL is allowed. */
void recovery_stop(struct recovery *recovery);

#endif
