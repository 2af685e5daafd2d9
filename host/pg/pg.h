/* One connection to Postgres on a libuv loop, which reconnects automatically with backoff. Units are sent in the
 * order in which they were submitted and answered in that order. Nothing here blocks. */
#ifndef LUAFLOW_PG_PG_H
#define LUAFLOW_PG_PG_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "pg/pg_unit.h"

struct pg;

struct pg_options { /* borrowed until pg_close, except conninfo and application_name */
  const char *conninfo;
  const char *source; /* names the conninfo in errors about it; NULL: "database" */
  const char *application_name;
  const char *const *session; /* SQL that is run first on every new connection */
  size_t session_count;
  const struct pg_statement *statements; /* prepared after it */
  size_t statement_count;
  /* A unit that is not answered for so long after it was sent has the connection replaced. Twice as long after each
   * such replacement for units that begin with the same statement, until one of them succeeds (pg_patience). 0: the
   * caller that submits watches. */
  int deadline_ms;
  bool keeps_nothing; /* units that were not sent when the connection breaks end with it, as those that were */
};

/* A process of the server. A pid alone may belong to somebody else after a restart. */
struct pg_backend {
  int pid;          /* 0: none */
  char started[32]; /* seconds since the epoch, as the server writes them */
};

struct pg_events {
  /* A connection is established and set up; units are sent from now on. After every reconnect again. */
  void (*ready)(void *owner);
  /* The connection broke, or could not be established or set up. Units that were sent have ended with the same error
   * before; those that were not stay queued, unless keeps_nothing. The next attempt is made in retry_ms. An error
   * with an SQLSTATE came from the server. */
  void (*lost)(void *owner, const struct err *err, int retry_ms);
  /* A notification on the channel; NULL if not wanted. */
  void (*notified)(void *owner, const char *channel, const char *payload);
};

/* Does not connect yet. NULL with *err if the conninfo cannot be read. */
struct pg *pg_new(uv_loop_t *loop, const struct pg_options *options, const struct pg_events *events, void *owner,
                  struct err *err) __attribute__((warn_unused_result));
/* Starts connecting, at first and after pg_rest; else nothing happens. */
void pg_start(struct pg *pg);
/* Disconnects until pg_start, without an event. False, and nothing happens, while it is not ready or has units. */
bool pg_rest(struct pg *pg);
bool pg_is_ready(const struct pg *pg);
/* pg_close was called; units end with an error, and none can be submitted. */
bool pg_is_closed(const struct pg *pg);
/* The server's process behind the connection that is ready or was ready last, as the server itself says. */
struct pg_backend pg_last_backend(const struct pg *pg);
/* Whether a transaction is open, after a unit was answered. */
PGTransactionStatusType pg_transaction_status(const struct pg *pg);
/* The encoding of the session's texts, after a unit was answered; "" without a connection. */
const char *pg_encoding(const struct pg *pg);
/* Which server, since it was last started, and which database of it the last connection reached; "" before the first.
 * Says whether two connections see the same data: a copy of a server has the same ids in it, but was not started at the
 * same microsecond. */
const char *pg_server(const struct pg *pg);
/* The role that the last connection logged in as; "" before the first. */
const char *pg_role(const struct pg *pg);
/* Where the last connection went, in words (pg_place.h); "" before the first. */
const char *pg_place(const struct pg *pg);
/* Takes the unit over and sends it at the end of this turn of the loop, or as soon as a connection is ready. */
void pg_submit(struct pg *pg, struct pg_unit *unit);
/* Breaks the connection off and reconnects. Units that were sent end with the error, but without its SQLSTATE: the
 * server has answered none of them. */
void pg_reconnect(struct pg *pg, const struct err *err);
/* Closes; units that are not answered end with an error before this returns. No event follows. NULL is allowed. */
void pg_close(struct pg *pg);

#endif
