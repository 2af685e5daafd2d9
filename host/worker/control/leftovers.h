/* Processes of the server that served connections which this worker has lost. Such a process may go on with the
 * statement that it has, and commit it: each is terminated over the control connection and watched until it has
 * ended. */
#ifndef LUAFLOW_WORKER_CONTROL_LEFTOVERS_H
#define LUAFLOW_WORKER_CONTROL_LEFTOVERS_H

#include <stdbool.h>
#include <uv.h>

#include "base/log.h"
#include "pg/pg.h"

struct leftovers;

/* pg (with control_statements) is borrowed until leftovers_free. settled is called when the last one has ended, and
 * when what is left does not go away (a stopped process ends once it is continued). */
struct leftovers *leftovers_new(uv_loop_t *loop, struct pg *pg, void (*settled)(void *owner), void *owner,
                                struct log *log);
/* Adds one; pid 0 is ignored. */
void leftovers_add(struct leftovers *leftovers, struct pg_backend backend);
/* Nothing is left that is worth waiting for. */
bool leftovers_are_settled(const struct leftovers *leftovers);
/* Ends and frees; before pg is closed. NULL is allowed. */
void leftovers_free(struct leftovers *leftovers);

#endif
