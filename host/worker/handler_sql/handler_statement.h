/* One statement of a handler with its parameters, as QUERY delivers it. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_STATEMENT_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_STATEMENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "pg/pg_unit.h"

struct handler_statement { /* all owned; sql is NULL where there is none */
  char *sql;
  int count;
  char **values;
};

/* Reads the payload behind its first byte; false if it is not well formed. */
bool handler_statement_read(struct handler_statement *statement, struct cursor *payload)
    __attribute__((warn_unused_result));
/* Adds it to the unit, and frees it. */
void handler_statement_add(struct handler_statement *statement, struct pg_unit *unit);
void handler_statement_free(struct handler_statement *statement);

#endif
