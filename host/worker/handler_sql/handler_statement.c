/* Reading and handing on. */
#include "worker/handler_sql/handler_statement.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { COUNT_MAX = 65535 };

bool handler_statement_read(struct handler_statement *statement, struct cursor *payload) {
  *statement = (struct handler_statement){.sql = cursor_strdup(payload)};
  uint32_t count = cursor_u32(payload);
  if (payload->bad || !statement->sql || count > COUNT_MAX) return false;
  statement->values = xcalloc(count, sizeof *statement->values);
  for (; statement->count < (int)count; statement->count++)
    statement->values[statement->count] = cursor_strdup(payload);
  return !payload->bad;
}

void handler_statement_add(struct handler_statement *statement, struct pg_unit *unit) {
  pg_unit_add_query(unit, statement->sql, statement->count, (const char *const *)statement->values);
  handler_statement_free(statement);
}

void handler_statement_free(struct handler_statement *statement) {
  for (int i = 0; i < statement->count; i++) free(statement->values[i]);
  free(statement->values);
  free(statement->sql);
  *statement = (struct handler_statement){0};
}
