/* Tells the database, for doctor and `luaflow workers`, of results that it does not take; over the control connection. Says each thing once. */
#ifndef LUAFLOW_WORKER_CONTROL_UNRECORDED_H
#define LUAFLOW_WORKER_CONTROL_UNRECORDED_H

#include "pg/pg.h"

struct unrecorded;

/* pg (with control_statements) and worker_id are borrowed until unrecorded_free. */
struct unrecorded *unrecorded_new(struct pg *pg, const char *worker_id);
/* So many results wait because of this error; 0 and NULL: none do. */
void unrecorded_set(struct unrecorded *unrecorded, int count, const char *error);
/* The control connection is ready: what was not said before is said now. */
void unrecorded_go_on(struct unrecorded *unrecorded);
/* Frees it, before pg is closed. NULL is allowed. */
void unrecorded_free(struct unrecorded *unrecorded);

#endif
