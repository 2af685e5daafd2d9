/* Building, sending and answering units. */
#include "pg/pg_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "pg/pg_blame.h"

enum call_kind { CALL_STATEMENT, CALL_SQL, CALL_QUERY, CALL_PREPARE };

struct pg_call {
  enum call_kind kind;
  const struct pg_statement *statement; /* borrowed; NULL for SQL */
  char *sql;                            /* owned; for SQL and queries */
  char **values;                        /* owned; of a query */
  int value_count;
  struct pg_params params;
  PGresult *result; /* owned */
};

struct pg_unit *pg_unit_new(pg_unit_done done, void *owner) {
  struct pg_unit *unit = xcalloc(1, sizeof *unit);
  unit->done = done;
  unit->owner = owner;
  unit->failed_call = -1;
  return unit;
}

static void free_query(struct pg_call *call) {
  for (int i = 0; i < call->value_count; i++) free(call->values[i]);
  free(call->values);
  free(call->sql);
  call->values = NULL;
  call->value_count = 0;
  call->sql = NULL;
}

void pg_unit_free(struct pg_unit *unit) {
  for (int i = 0; i < unit->count; i++) {
    free_query(&unit->calls[i]);
    pg_params_free(&unit->calls[i].params);
    PQclear(unit->calls[i].result);
  }
  PQclear(unit->failure);
  free(unit->calls);
  free(unit);
}

static struct pg_call *add_call(struct pg_unit *unit, enum call_kind kind) {
  if (unit->count == unit->room) {
    unit->room = unit->room ? unit->room * 2 : 8;
    unit->calls = xrealloc(unit->calls, (size_t)unit->room * sizeof *unit->calls);
  }
  struct pg_call *call = &unit->calls[unit->count++];
  *call = (struct pg_call){.kind = kind};
  return call;
}

struct pg_params *pg_unit_add(struct pg_unit *unit, const struct pg_statement *statement) {
  struct pg_call *call = add_call(unit, CALL_STATEMENT);
  call->statement = statement;
  return &call->params;
}

void pg_unit_add_sql(struct pg_unit *unit, const char *sql) { add_call(unit, CALL_SQL)->sql = xstrdup(sql); }

void pg_unit_add_query(struct pg_unit *unit, const char *sql, int count, const char *const *values) {
  struct pg_call *call = add_call(unit, CALL_QUERY);
  call->sql = xstrdup(sql);
  call->value_count = count;
  call->values = xcalloc((size_t)count, sizeof *call->values);
  for (int i = 0; i < count; i++) call->values[i] = values[i] ? xstrdup(values[i]) : NULL;
}

void pg_unit_allow(struct pg_unit *unit, int extra_ms) { unit->extra_ms = extra_ms; }

void pg_unit_stream(struct pg_unit *unit, int64_t limit, void (*row)(void *owner, const PGresult *row)) {
  unit->row = row;
  unit->limit = limit;
}

void pg_unit_limit(struct pg_unit *unit, int64_t limit) { unit->limit = limit; }

void pg_unit_add_prepare(struct pg_unit *unit, const struct pg_statement *statement) {
  add_call(unit, CALL_PREPARE)->statement = statement;
}

const PGresult *pg_unit_result(const struct pg_unit *unit, int index) {
  return index < unit->count ? unit->calls[index].result : NULL;
}

int pg_unit_failed_call(const struct pg_unit *unit) { return unit->failed_call; }

const char *pg_unit_field(const struct pg_unit *unit, int code) {
  return unit->failure ? PQresultErrorField(unit->failure, code) : NULL;
}

const char *pg_unit_message(const struct pg_unit *unit) { return pg_unit_field(unit, PG_DIAG_MESSAGE_PRIMARY); }

const char *pg_unit_detail(const struct pg_unit *unit) { return pg_unit_field(unit, PG_DIAG_MESSAGE_DETAIL); }

const char *pg_unit_constraint(const struct pg_unit *unit) { return pg_unit_field(unit, PG_DIAG_CONSTRAINT_NAME); }

bool pg_unit_is_known(const struct pg_unit *unit) { return unit->synced; }

bool pg_unit_is_overdue(const struct pg_unit *unit) { return unit->overdue; }

const struct pg_statement *pg_unit_first(const struct pg_unit *unit) {
  return unit->count > 0 && unit->calls[0].kind == CALL_STATEMENT ? unit->calls[0].statement : NULL;
}

static int send_call(struct pg_call *call, PGconn *conn) {
  struct pg_params *params = &call->params;
  switch (call->kind) {
    case CALL_STATEMENT:
      pg_params_finish(params);
      return PQsendQueryPrepared(conn, call->statement->name, params->count, params->values, params->lengths,
                                 params->formats, 0);
    case CALL_SQL:
      return PQsendQueryParams(conn, call->sql, 0, NULL, NULL, NULL, NULL, 0);
    case CALL_QUERY:
      return PQsendQueryParams(conn, call->sql, call->value_count, NULL, (const char *const *)call->values, NULL, NULL,
                               0);
    case CALL_PREPARE:
      return PQsendPrepare(conn, call->statement->name, call->statement->sql, 0, NULL);
  }
  return 0;
}

bool pg_unit_send(struct pg_unit *unit, PGconn *conn) {
  for (int i = 0; i < unit->count; i++) {
    if (!send_call(&unit->calls[i], conn)) return false;
    if (unit->row && !PQsetSingleRowMode(conn)) return false;
    pg_params_free(&unit->calls[i].params); /* libpq has its own copy */
    free_query(&unit->calls[i]);
  }
  return PQpipelineSync(conn) == 1;
}

void pg_err_of_result(struct err *err, const PGresult *result) {
  const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
  if (!message) message = PQresultErrorMessage(result);
  err_set(err, ERR_RETRY, EXIT_DATABASE, "database: %.*s", (int)strcspn(message, "\n"), message);
  if (sqlstate) memcpy(err->sqlstate, sqlstate, strnlen(sqlstate, sizeof err->sqlstate - 1) + 1);
  if (hint) err_hint(err, "%s", hint);
}

static void take_failure(struct pg_unit *unit, PGresult *result, PGconn *conn) {
  if (unit->failure) {
    PQclear(result);
    return;
  }
  unit->failure = result;
  unit->failed_call = unit->current < unit->count ? unit->current : -1;
  pg_err_of_result(&unit->err, result);
  bool is_others = unit->failed_call >= 0 && unit->calls[unit->failed_call].kind == CALL_QUERY;
  if (!is_others) pg_blame_statement(&unit->err, result, conn);
}

bool pg_unit_take(struct pg_unit *unit, PGresult *result, PGconn *conn) {
  if (!result) {
    bool more = unit->answered;
    if (unit->answered && unit->current < unit->count) unit->current++;
    unit->answered = false;
    return more;
  }
  ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_PIPELINE_SYNC) {
    unit->synced = true;
    PQclear(result);
    return true;
  }
  unit->answered = true;
  if (status == PGRES_SINGLE_TUPLE) {
    if (!unit->failure) unit->row(unit->owner, result);
    PQclear(result);
  } else if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY) {
    struct pg_call *call = unit->current < unit->count ? &unit->calls[unit->current] : NULL;
    PQclear(call ? call->result : result);
    if (call) call->result = result;
  } else if (status == PGRES_PIPELINE_ABORTED) {
    PQclear(result);
  } else if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH) {
    unit->copies = true;
    PQclear(result);
    return false;
  } else {
    take_failure(unit, result, conn);
  }
  return true;
}

void pg_unit_finish(struct pg_unit *unit, const struct err *err) {
  if (!err && unit->err.kind != ERR_NONE) err = &unit->err;
  unit->done(unit->owner, unit, err);
  pg_unit_free(unit);
}
