/* Whether a connection reaches the very server and database of the worker's own: what handlers write elsewhere, as on
 * an old primary that came back, is lost. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_HOME_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_HOME_H

#include <stdbool.h>

#include "base/err.h"
#include "pg/pg.h"

/* Both are ready, or were. */
bool handler_home_is_of(const struct pg *home, const struct pg *pg);
/* Why pg cannot be used; source is what gave its conninfo. */
void handler_home_refuse(const struct pg *home, const struct pg *pg, const char *source, struct err *err);

#endif
