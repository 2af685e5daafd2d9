/* Reports to the database, for doctor and `luaflow workers`, what old generations still hold, and that their executors
 * use more memory than those of one generation may. Each second while there are any; sent when it changes. */
#ifndef LUAFLOW_WORKER_CONTROL_OLD_GENERATIONS_H
#define LUAFLOW_WORKER_CONTROL_OLD_GENERATIONS_H

#include <uv.h>

#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/troubles.h"
#include "worker/pool/pool.h"

struct old_generations;

struct old_options { /* borrowed until old_generations_stop */
  struct pg *pg;     /* has control_statements */
  const struct pool *pool;
  const char *worker_id;
  struct troubles *troubles;
  int64_t memory; /* bytes that the executors of one generation may use */
};

struct old_generations *old_generations_new(uv_loop_t *loop, const struct old_options *options, struct log *log);
/* A generation may have become old. */
void old_generations_look(struct old_generations *old);
/* Reports no more; before pg is closed. Frees it once the loop has closed its timer. NULL is allowed. */
void old_generations_stop(struct old_generations *old);

#endif
