/* Asking whether a deployment would have to wait for somebody: one call of await_deployment or await_files. */
#ifndef LUAFLOW_WORKER_CONTROL_DEPLOY_ASK_H
#define LUAFLOW_WORKER_CONTROL_DEPLOY_ASK_H

#include "pg/pg.h"
#include "worker/source/load_report.h"

/* What of its registry a worker deploys. */
enum deploy_extent {
  DEPLOY_ALL,
  DEPLOY_EXISTING, /* versions that exist, without moving an alias; what else the registry has is held back */
  DEPLOY_FILES,    /* in luaflow dev: first all flows of the files, of every queue */
};

struct deploy_question {
  const char *worker_id;
  const struct load_worker *worker;
  enum deploy_extent extent;
  /* Of DEPLOY_FILES: the registries of all queues, as a JSON array, and when their files were read. */
  const char *registries;
  int64_t read_from_ms;
};

/* Sends it over a ready connection with control_statements. *err is NULL if nobody holds what the deployment needs;
 * else it says who does, or that the files may be outdated, or that the database could not say. */
void deploy_ask(struct pg *pg, const struct deploy_question *question, void (*done)(void *owner, const struct err *err),
                void *owner);
/* The same as a statement of the unit. */
void deploy_ask_in(struct pg_unit *unit, const struct deploy_question *question);
/* How much longer than others a statement about this registry may take. */
int deploy_extra_ms(const char *registry);
/* All registries of a load as a JSON array; the caller's. */
char *deploy_registries(const struct load_report *report);

#endif
