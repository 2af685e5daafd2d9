/* Finds out what caused an error of the server and what to do about it, as far as the error itself shows. The names
 * of tables and functions in it are the same in every language that the server speaks. */
#ifndef LUAFLOW_PG_PG_BLAME_H
#define LUAFLOW_PG_PG_BLAME_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"

/* Whether the innermost function of an error's context is of that schema. *called: there is such a function. */
bool pg_blame_is_of(const char *context, const char *schema, bool *called);
/* Adds to the error of a statement of luaflow's own what the operator can do, where that is known. The server's own
 * hint stays, but where something is missing or hidden it addresses the author of the statement, and is removed. A
 * function that is not luaflow's makes it an error of the database, of kind ERR_CONFIG unless it may pass. */
void pg_blame_statement(struct err *err, const PGresult *failure, PGconn *conn);
/* Adds to an error what can be done about the reason why the server ended or refused a connection. */
void pg_blame_connection(struct err *err, const char *sqlstate);
enum { PG_BLAME_STATE = 6 };

/* The SQLSTATE in libpq's verbose message; "" if there is none. */
void pg_blame_read_state(const char *message, char code[PG_BLAME_STATE]);
/* By both: a session could not begin, for a setting that the role has no right to. */
bool pg_blame_is_of_setting(const char *sqlstate, const char *message);
/* By libpq's verbose message: a session could not begin, possibly for a library that its settings name. */
bool pg_blame_is_of_library(const char *message);
/* The error of an attempt to connect by libpq's message, which has a line for each address and, when verbose,
 * SQLSTATEs: of the addresses the last that a server answered, else the first. False: none answered with an SQLSTATE.
 * */
bool pg_blame_attempt(struct err *err, const char *message);

#endif
