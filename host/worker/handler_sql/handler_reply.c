/* Columns, rows and errors into bytes. */
#include "worker/handler_sql/handler_reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"

enum { ROWS = 1, ERROR = 0 };

/* What it adds to the rows. */
static size_t size_of(const PGresult *row) {
  size_t size = 0;
  for (int i = 0; i < PQnfields(row); i++) size += sizeof(uint32_t) + (size_t)PQgetlength(row, 0, i);
  return size;
}

bool handler_reply_row(struct handler_reply *reply, const PGresult *row) {
  int width = PQnfields(row);
  if (handler_reply_is_too_large(reply)) return false;
  if ((int64_t)(reply->rows.len + size_of(row)) > reply->limit) {
    buf_free(&reply->rows);
    reply->limit = -1; /* too large for ever, without the bytes */
    return false;
  }
  for (int i = 0; i < width; i++)
    buf_put_text(&reply->rows, PQgetisnull(row, 0, i) ? NULL : PQgetvalue(row, 0, i), (size_t)PQgetlength(row, 0, i));
  reply->count++;
  return true;
}

bool handler_reply_is_too_large(const struct handler_reply *reply) { return reply->limit < 0; }

void handler_reply_free(struct handler_reply *reply) {
  buf_free(&reply->rows);
  reply->count = 0;
}

void handler_reply_put_rows(struct handler_reply *reply, const PGresult *last, struct buf *payload) {
  int width = PQnfields(last);
  const char *changed = PQcmdTuples((PGresult *)last);
  buf_put_u8(payload, ROWS);
  buf_put_i64(payload, *changed ? strtoll(changed, NULL, 10) : (int64_t)reply->count);
  buf_put_u32(payload, (uint32_t)width);
  for (int i = 0; i < width; i++) {
    buf_put_str(payload, PQfname(last, i));
    buf_put_u32(payload, PQftype(last, i));
  }
  buf_put_u32(payload, reply->count);
  buf_put(payload, reply->rows.data, reply->rows.len);
  handler_reply_free(reply);
}

void handler_reply_put_error(const char *sqlstate, const char *message, const char *hint, struct buf *payload) {
  buf_put_u8(payload, ERROR);
  buf_put_str(payload, err_plain(message));
  buf_put_str(payload, sqlstate);
  buf_put_str(payload, NULL);
  buf_put_str(payload, hint && *hint ? hint : NULL);
  for (int i = 0; i < 4; i++) buf_put_str(payload, NULL);
}

void handler_reply_put_too_large(struct buf *payload) {
  handler_reply_put_error(SQLSTATE_TOO_LARGE, "the result is larger than --max-output allows",
                          "ask for fewer rows at a time", payload);
}

/* A refusal names what is refused, and not the role that lacks the right. */
static void put_message(const struct pg_unit *unit, const struct err *err, const char *role, struct buf *payload) {
  char *text = NULL;
  if (sqlstate_lacks_right(err->sqlstate) && *role)
    text = xasprintf("%s (the connection has role %s)", pg_unit_message(unit), role);
  buf_put_str(payload, text ? text : pg_unit_message(unit));
  free(text);
}

void handler_reply_put_failure(const struct pg_unit *unit, const struct err *err, const char *role,
                               struct buf *payload) {
  static const int fields[] = {PG_DIAG_SQLSTATE,        PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT,
                               PG_DIAG_CONSTRAINT_NAME, PG_DIAG_TABLE_NAME,     PG_DIAG_COLUMN_NAME,
                               PG_DIAG_SCHEMA_NAME};
  if (!pg_unit_message(unit) || !pg_unit_is_known(unit)) {
    handler_reply_put_error(*err->sqlstate ? err->sqlstate : SQLSTATE_CONNECTION_LOST, err->message, err->hint,
                            payload);
    return;
  }
  buf_put_u8(payload, ERROR);
  put_message(unit, err, role, payload);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) buf_put_str(payload, pg_unit_field(unit, fields[i]));
}
