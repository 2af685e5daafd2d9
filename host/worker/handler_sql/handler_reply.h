/* What a statement of a handler brought back, as the payload of QUERY_REPLY. Pure. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_REPLY_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_REPLY_H

#include <libpq-fe.h>

#include "base/buf.h"
#include "base/err.h"
#include "pg/pg_unit.h"

/* Rows that are gathered one by one. Zero it, with the limit set. */
struct handler_reply {
  struct buf rows;
  uint32_t count;
  int64_t limit; /* bytes of all rows; below 0: there are more */
};

/* False once there is more than the limit allows; such rows are not kept. */
bool handler_reply_row(struct handler_reply *reply, const PGresult *row);
bool handler_reply_is_too_large(const struct handler_reply *reply);
/* Appends the payload of a statement that succeeded, and frees the rows. last is the statement's own result, with its
 * columns. */
void handler_reply_put_rows(struct handler_reply *reply, const PGresult *last, struct buf *payload);
void handler_reply_free(struct handler_reply *reply);

/* An error of the server with its fields where the unit has them, else *err alone; without an SQLSTATE it is a lost
 * connection. */
void handler_reply_put_failure(const struct pg_unit *unit, const struct err *err, const char *role,
                               struct buf *payload);
/* More rows than --max-output allows. */
void handler_reply_put_too_large(struct buf *payload);
/* An error of the host's own. */
void handler_reply_put_error(const char *sqlstate, const char *message, const char *hint, struct buf *payload);

#endif
