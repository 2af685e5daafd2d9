/* The connections on which handlers' statements run: opened on demand, lent to one borrower after the other, closed
 * when nobody has wanted one for a while. Who comes first is served first. Knows neither tasks nor executors. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_POOL_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_POOL_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/leftovers.h"
#include "worker/control/troubles.h"

struct handler_pool;
struct handler_connection;

struct handler_pool_options { /* borrowed until handler_pool_close */
  const char *conninfo, *source;
  const char *application_name;
  int connections;
  bool patient;              /* a connection that cannot be established now is waited for; else borrowers are refused */
  struct troubles *troubles; /* NULL: nothing is reported */
};

struct handler_borrower_events {
  void (*granted)(void *owner);                        /* it has a connection now, in a clean session */
  void (*refused)(void *owner, const struct err *err); /* there will be none; it does not wait any more */
  /* The unit that was submitted has ended; it is freed after this. */
  void (*answered)(void *owner, struct pg_unit *unit, const struct err *err);
  void (*row)(void *owner, const PGresult *row); /* of a unit that streams */
  /* The connection broke; a unit under way has been answered with an error before. It has none any more. */
  void (*lost)(void *owner, const struct err *err);
  void (*cleared)(void *owner); /* see handler_pool_give_back and handler_pool_await_gone */
};

struct handler_borrower {
  const struct handler_borrower_events *events;
  void *owner;
  /* The pool's own. */
  struct handler_connection *connection; /* NULL: it has none */
  bool queued;                           /* in one of the pool's lists */
  uint64_t queued_at;
  struct handler_borrower *prev, *next;
};

/* Of a borrower that has no connection yet. */
struct handler_wait {
  char text[sizeof((struct err *)0)->message + 64];
  bool is_outage; /* the server gives out none, or is not reached; else others have them all */
};

/* side (with the statements TERMINATE and CANCEL; started where it rests) and leftovers are of the same role and
 * server; borrowed until handler_pool_close. The conninfo is known to be readable. */
struct handler_pool *handler_pool_new(uv_loop_t *loop, const struct handler_pool_options *options, struct pg *side,
                                      struct leftovers *leftovers, struct log *log);
/* From now on only connections to the server of home are used, and none while home is away; borrowed until
 * handler_pool_close. NULL: those to any. */
void handler_pool_pin(struct handler_pool *pool, struct pg *home);
/* Home has connected, maybe to another server: connections that are not there are replaced, lent ones too. */
void handler_pool_look_home(struct handler_pool *pool);
/* Some connection is not idle, or somebody waits for one. */
bool handler_pool_is_used(const struct handler_pool *pool);
/* Waits for a connection; no event comes before this returns. */
void handler_pool_borrow(struct handler_pool *pool, struct handler_borrower *borrower);
/* A unit to be filled and submitted; one at a time. */
struct pg_unit *handler_pool_unit(struct handler_borrower *borrower);
/* Its rows come as events, for a unit of one query. */
void handler_pool_stream(struct pg_unit *unit, int64_t limit);
void handler_pool_submit(struct handler_borrower *borrower, struct pg_unit *unit);
/* Whether a transaction is open; PQTRANS_UNKNOWN while the connection is broken. */
PGTransactionStatusType handler_pool_status(const struct handler_borrower *borrower);
/* The encoding that a statement has chosen for the session instead of luaflow's; NULL if it has not. */
const char *handler_pool_foreign_encoding(const struct handler_borrower *borrower);
/* The role that its connection logged in as; "" without one. */
const char *handler_pool_role(const struct handler_borrower *borrower);
/* Has the statement under way ended by the server, which is answered as usual. */
void handler_pool_cancel(struct handler_borrower *borrower);
/* Gives the connection back, or waits no longer. A statement under way is ended and what is open is rolled back. With
 * wants_cleared the event comes once that is certain, else the borrower may be freed at once. */
void handler_pool_give_back(struct handler_pool *pool, struct handler_borrower *borrower, bool wants_cleared);
/* After lost: cleared comes once the server's process behind the connection has ended. */
void handler_pool_await_gone(struct handler_pool *pool, struct handler_borrower *borrower);
/* What it waits for and how long it has, if it waits for a connection; else false. */
bool handler_pool_explain(const struct handler_pool *pool, const struct handler_borrower *borrower,
                          struct handler_wait *wait);
/* The loop's clock, in milliseconds. */
uint64_t handler_pool_now(const struct handler_pool *pool);
/* Leftovers have settled. */
void handler_pool_old_is_gone(struct handler_pool *pool);
/* Closes all connections; no event follows. NULL is allowed. */
void handler_pool_close(struct handler_pool *pool);

#endif
