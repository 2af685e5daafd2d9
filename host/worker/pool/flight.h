/* The tasks in flight, from the claim to the result: found by number, watched for their deadlines. Knows no executor.
 * */
#ifndef LUAFLOW_WORKER_POOL_FLIGHT_H
#define LUAFLOW_WORKER_POOL_FLIGHT_H

#include <uv.h>

#include "worker/pool/task.h"

struct flight;

/* overdue is called once, when the task's deadline has passed; it sets task->overdue or removes the task. */
struct flight *flight_new(uv_loop_t *loop, void (*overdue)(void *owner, struct task *task), void *owner);
/* Frees it, and the tasks in it. */
void flight_free(struct flight *flight);
void flight_add(struct flight *flight, struct task *task);
void flight_remove(struct flight *flight, struct task *task);
/* NULL if no such task is in flight. */
struct task *flight_find(const struct flight *flight, uint64_t number);
int flight_count(const struct flight *flight);
/* Any order; visit must neither add nor remove. */
void flight_each(const struct flight *flight, void (*visit)(void *owner, const struct task *task), void *owner);

#endif
