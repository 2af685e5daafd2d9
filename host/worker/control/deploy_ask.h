/* Asking whether a deployment would have to wait for somebody: one call of await_deployment. */
#ifndef LUAFLOW_WORKER_CONTROL_DEPLOY_ASK_H
#define LUAFLOW_WORKER_CONTROL_DEPLOY_ASK_H

#include "pg/pg.h"
#include "worker/source/load_report.h"

/* Sends it over a ready connection with control_statements. moves: the deployment may move aliases. *err is NULL if
 * nobody holds what the deployment needs; else it says who does, or that the database could not say. */
void deploy_ask(struct pg *pg, const char *worker_id, const struct load_worker *worker, bool moves,
                void (*done)(void *owner, const struct err *err), void *owner);
/* How much longer than others a statement about this registry may take. */
int deploy_extra_ms(const char *registry);
/* The same as a statement of the unit. */
void deploy_ask_in(struct pg_unit *unit, const char *worker_id, const struct load_worker *worker, bool moves);

#endif
