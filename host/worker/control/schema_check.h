/* Does this program fit the schema of the database? */
#ifndef LUAFLOW_WORKER_CONTROL_SCHEMA_CHECK_H
#define LUAFLOW_WORKER_CONTROL_SCHEMA_CHECK_H

#include <stdbool.h>

#include "pg/pg.h"

/* Asks over a ready connection with control_statements. done: development is what the database says of itself; *err
 * is NULL if it fits; of kind ERR_CONFIG (exit 6) if it does not; of kind ERR_RETRY if the database could not say. */
void schema_check(struct pg *pg, void (*done)(void *owner, bool development, const struct err *err), void *owner);
/* For an error of setting a connection up, where luaflow's settings look into the catalog and its statements are
 * prepared, or of schema_check: turns what means "no schema, or an old one, or somebody else's" or "a transaction
 * pooler" into an error that says so, of kind ERR_CONFIG. */
void schema_explain(struct err *err);
/* Fills *err: row security hides what this role should read. Returns false. */
bool schema_set_hidden(struct err *err);
/* Fills *err: a transaction pooler is in the way. */
void schema_set_pooled(struct err *err);

#endif
