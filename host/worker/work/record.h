/* The statements that record a batch, and their answers. */
#ifndef LUAFLOW_WORKER_WORK_RECORD_H
#define LUAFLOW_WORKER_WORK_RECORD_H

#include "base/log.h"
#include "pg/pg_unit.h"
#include "worker/control/statements.h"
#include "worker/work/batcher.h"

/* Which call of a unit is which statement; -1: it is not in the unit. */
struct record_calls {
  int index[WORK_STATEMENT_COUNT];
  int count;
};

/* Adds lock_batch and what the batch needs of complete, fail and release. claiming_queue: the queue that the unit will
 * end with a claim on, or NULL. waits: for runs that others have locked. */
void record_add(struct pg_unit *unit, struct record_calls *calls, const struct batch *batch, const char *claiming_queue,
                bool waits);
/* The one place that reports attempts that did not complete. */
void record_log(const struct task *task, struct log *log);
/* The database did not take its result. */
void record_log_late(const struct task *task, struct log *log);
/* Logs the answers of a committed unit that say a result was not taken. */
void record_log_answers(const struct pg_unit *unit, const struct record_calls *calls, const struct batch *batch,
                        struct log *log);

#endif
