/* Puts back what was claimed in a transaction whose answer was lost; see reconcile_claims in sql/. */
#ifndef LUAFLOW_WORKER_WORK_RECONCILE_H
#define LUAFLOW_WORKER_WORK_RECONCILE_H

#include "base/log.h"
#include "pg/pg_unit.h"
#include "worker/work/batcher.h"

/* Calls visit for each task in flight. */
typedef void (*reconcile_each)(void *owner, void (*visit)(void *arrays, const struct task *task), void *arrays);

/* Adds the statement; the tasks known are those in flight and those in the batcher. */
void reconcile_add(struct pg_unit *unit, const char *worker_id, reconcile_each in_flight, void *owner,
                   const struct batcher *batcher);
/* Logs what a unit that has committed put back. */
void reconcile_log(const struct pg_unit *unit, struct log *log);

#endif
