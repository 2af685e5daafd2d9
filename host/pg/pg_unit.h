/* A unit: statements sent through one pipeline with one Sync behind them, so that they commit or fail together.
 * Knows how it is sent and how its results come back; knows nothing of the loop. */
#ifndef LUAFLOW_PG_PG_UNIT_H
#define LUAFLOW_PG_PG_UNIT_H

#include <libpq-fe.h>
#include <stdint.h>

#include "base/err.h"
#include "pg/pg_params.h"

/* A prepared statement, the same on every connection that was created with its table. */
struct pg_statement {
  const char *name;
  const char *sql;
};

struct pg_unit;

/* *err is NULL when the unit has committed. Otherwise nothing of it has, except that after an error without an SQLSTATE
 * (connection lost, deadline past) nobody knows. The unit is freed after this returns. */
typedef void (*pg_unit_done)(void *owner, struct pg_unit *unit, const struct err *err);

struct pg_unit *pg_unit_new(pg_unit_done done, void *owner);
/* Only for a unit that was never submitted. */
void pg_unit_free(struct pg_unit *unit);
/* Adds a prepared statement; its parameters are to be added to what is returned, which stays valid until the next
 * call. */
struct pg_params *pg_unit_add(struct pg_unit *unit, const struct pg_statement *statement);
/* Adds a statement by its text, without parameters. */
void pg_unit_add_sql(struct pg_unit *unit, const char *sql);
/* Adds a statement that somebody else wrote, with texts as its parameters; NULL is SQL null. The server infers the
 * types. */
void pg_unit_add_query(struct pg_unit *unit, const char *sql, int count, const char *const *values);
/* The rows of the unit's only query are handed over one by one as they come, and kept nowhere. For a unit that goes
 * out on an idle connection. libpq keeps a row until all of it is there: when one is clearly larger than limit
 * (bytes, as --max-output says) the connection is given up, since the server cannot be stopped in the middle of a
 * row; the unit's error has SQLSTATE 54000. */
void pg_unit_stream(struct pg_unit *unit, int64_t limit, void (*row)(void *owner, const PGresult *row));
/* The same limit for a unit whose results are kept, but in which code of others may run that says too much. */
void pg_unit_limit(struct pg_unit *unit, int64_t limit);
/* It may take this much longer than others of its kind, because of its work. */
void pg_unit_allow(struct pg_unit *unit, int extra_ms);
/* Adds the preparation of a statement. */
void pg_unit_add_prepare(struct pg_unit *unit, const struct pg_statement *statement);

/* For done. The result of the index-th call, NULL if it has none; borrowed. */
const PGresult *pg_unit_result(const struct pg_unit *unit, int index);
/* The call that failed; -1 if no single one did. */
int pg_unit_failed_call(const struct pg_unit *unit);
/* The database's message alone; NULL where the failure did not come from it. */
const char *pg_unit_message(const struct pg_unit *unit);
/* The database's detail of the failure, which may quote values: to be stored, not logged. NULL if there is none. */
const char *pg_unit_detail(const struct pg_unit *unit);
/* The constraint that was violated; NULL if there is none. */
const char *pg_unit_constraint(const struct pg_unit *unit);

/* A field of the failure by its PG_DIAG_ code. NULL if there is none. */
const char *pg_unit_field(const struct pg_unit *unit, int code);
/* Its end was confirmed by the server, well or badly: nothing about it is unknown. */
bool pg_unit_is_known(const struct pg_unit *unit);

/* It was not answered in time, so that its connection was replaced. */
bool pg_unit_is_overdue(const struct pg_unit *unit);

/* For pg.c. */
struct pg_unit {
  struct pg_call *calls;
  int count, room;
  pg_unit_done done;
  void (*row)(void *owner, const PGresult *row); /* NULL unless rows are streamed */
  int64_t limit;                                 /* bytes of a row or message; 0: none */
  int extra_ms;                                  /* see pg_unit_allow */
  void *owner;
  int current;   /* the call whose results come next */
  bool answered; /* a result of it has come */
  bool synced;   /* the Sync was answered: all is known */
  bool overdue;  /* it was not answered in time */
  bool copies;   /* a COPY that expects data or sends it: the connection is of no use any more */
  int failed_call;
  struct err err;    /* kind ERR_NONE while nothing has failed */
  PGresult *failure; /* owned */
  uint64_t sent_at;  /* uv_now */
  struct pg_unit *prev, *next;
};

/* The prepared statement that it begins with; NULL if it begins with something else. */
const struct pg_statement *pg_unit_first(const struct pg_unit *unit);
/* Hands everything with its Sync to libpq. False if the connection is broken. */
bool pg_unit_send(struct pg_unit *unit, PGconn *conn) __attribute__((warn_unused_result));
/* Takes what PQgetResult returned, NULL too; true if more may follow at once. */
bool pg_unit_take(struct pg_unit *unit, PGresult *result, PGconn *conn);
/* Ends the unit: calls done and frees. *err replaces the unit's own error; NULL: keep it. */
void pg_unit_finish(struct pg_unit *unit, const struct err *err);
/* Fills *err from a failed result. */
void pg_err_of_result(struct err *err, const PGresult *result);

#endif
