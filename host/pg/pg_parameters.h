/* Which parameter of a connection an error is about, and where its value comes from: the conninfo, named by its source,
 * or a PG* variable. Only a variable's value is repeated. */
#ifndef LUAFLOW_PG_PG_PARAMETERS_H
#define LUAFLOW_PG_PG_PARAMETERS_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"

/* True with *err, of kind ERR_CONFIG, if the connection was not begun, for how the database is named: by the source
 * (such as "--database"), in the environment or in a service file. */
bool pg_parameters_refuse(const char *source, PGconn *conn, struct err *err) __attribute__((warn_unused_result));
/* Adds a hint, unless there is one, if the attempt to connect failed for what a parameter asks of the server. */
void pg_parameters_blame(const char *source, PGconn *conn, struct err *err);
/* Adds the hint to look at what names the server. */
void pg_parameters_blame_place(const char *source, PGconn *conn, struct err *err);

#endif
