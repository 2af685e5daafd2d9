/* The input of a task's run, fetched when its handler asks for it. */
#ifndef LUAFLOW_WORKER_CONTROL_FLOW_INPUT_H
#define LUAFLOW_WORKER_CONTROL_FLOW_INPUT_H

#include "pg/pg.h"
#include "worker/pool/pool.h"

/* Asks over pg (with control_statements), again after a lost connection, and answers the pool. Both must outlive the
 * answer: pg is closed before the pool is freed. */
void flow_input_fetch(struct pg *pg, struct pool *pool, const struct task *task, int64_t max_input);

#endif
