/* Does this program fit the schema of the database? */
#ifndef LUAFLOW_WORKER_CONTROL_SCHEMA_CHECK_H
#define LUAFLOW_WORKER_CONTROL_SCHEMA_CHECK_H

#include <stdbool.h>

#include "pg/pg.h"

/* Asks over a ready connection with control_statements. done: development is what the database says of itself; *err
 * is NULL if it fits; of kind ERR_CONFIG (exit 6) if it does not; of kind ERR_RETRY if the database could not say. */
void schema_check(struct pg *pg, void (*done)(void *owner, bool development, const struct err *err), void *owner);
/* For an error of setting a connection up, where luaflow's settings look into the catalog and its statements are
 * prepared, or of schema_check; place is where it goes, in words. Turns what means "no schema, or an old one, or
 * somebody else's, or one whose rows are hidden" or "a transaction pooler" into an error that says so, of kind
 * ERR_CONFIG. */
void schema_explain(struct err *err, const char *place);
/* The number of the newest migration that this program carries. */
int schema_own_version(void);
/* The names of the functions or views that this program carries, as a text[]; the caller frees it. Each stands in a
 * file of its name. */
#define SCHEMA_FUNCTIONS "sql/functions/"
#define SCHEMA_VIEWS "sql/views/"
char *schema_part_names(const char *folder) __attribute__((warn_unused_result));
/* Fills *err: a transaction pooler is in the way. */
void schema_set_pooled(struct err *err);

#endif
