/* What handler_pool.c (who has which connection) and handler_connection.c (one connection) share. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_POOL_INSIDE_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_POOL_INSIDE_H

#include "base/states.h"
#include "worker/control/complaint.h"
#include "worker/handler_sql/handler_pool.h"

/* X(state, name, states it may move to). UNPROVEN: connected, and maybe to another server than home. CLEARING: given
 * back, something of its borrower is still under way. RESETTING: the session is made as new. */
#define HANDLER_CONNECTION_STATES(X)                                           \
  X(HANDLER_OPENING, "opening", TO(HANDLER_UNPROVEN) | TO(HANDLER_OPENING))    \
  X(HANDLER_UNPROVEN, "unproven", TO(HANDLER_IDLE) | TO(HANDLER_OPENING))      \
  X(HANDLER_IDLE, "idle", TO(HANDLER_LENT) | TO(HANDLER_OPENING))              \
  X(HANDLER_LENT, "lent", TO(HANDLER_CLEARING) | TO(HANDLER_OPENING))          \
  X(HANDLER_CLEARING, "clearing", TO(HANDLER_RESETTING) | TO(HANDLER_OPENING)) \
  X(HANDLER_RESETTING, "resetting", TO(HANDLER_IDLE) | TO(HANDLER_OPENING))

enum handler_connection_state { HANDLER_CONNECTION_STATES(STATE_ENUM) };

struct cancel;

struct handler_connection {
  struct handler_pool *pool;
  struct pg *pg;
  enum handler_connection_state state; /* moved by one function alone */
  struct pg_backend backend;           /* the server's process while it is connected */
  struct handler_borrower *borrower;   /* who has it, or waits until it is clear; else NULL */
  bool busy;                           /* a unit is not answered */
  struct pg_unit *held;                /* owned; until the cancel is answered */
  struct cancel *cancel;               /* sent and not answered; NULL: none */
  uint64_t cancel_since;               /* its statement is to end since then; 0: it is not */
  uint64_t clearing_since;             /* it was given back then, and is not idle yet; 0: not so */
  uint64_t idle_since;
  struct handler_connection *prev, *next;
};

struct handler_pool {
  uv_loop_t *loop;
  struct handler_pool_options options;
  struct pg *side;
  struct pg *home; /* whose server is the only one that may be used; NULL: any may */
  struct leftovers *leftovers;
  struct log *log;
  struct handler_connection *connections;
  int count;
  struct handler_borrower *waiting;   /* for a connection, who waits longest first */
  struct handler_borrower *departing; /* until a lost process has ended */
  uv_timer_t tick;                    /* runs while there is a connection */
  uv_idle_t kick;                     /* active while somebody may be served */
  int open_handles;
  bool starved; /* reported */
  struct complaint complaint;
};

/* handler_pool.c */
/* Where home is: it is connected, or there is none. */
bool handler_pool_knows_home(const struct handler_pool *pool);
/* The connection can be lent. */
void handler_pool_is_free(struct handler_connection *connection);
/* The same of one that was established just now. */
void handler_pool_made(struct handler_connection *connection);
/* A connection broke. True: another attempt follows; else the connection must be closed. */
bool handler_pool_broke(struct handler_pool *pool);
/* The same for one that could not be established. */
bool handler_pool_not_made(struct handler_pool *pool, const struct err *err);
/* The borrower's connection broke while it was being cleared. */
void handler_pool_depart(struct handler_pool *pool, struct handler_borrower *borrower);

/* handler_connection.c */
/* Begins to connect. */
void handler_connection_new(struct handler_pool *pool);
/* Makes it idle if it is at home, and replaces it if it is not. */
void handler_connection_prove(struct handler_connection *connection);
void handler_connection_lend(struct handler_connection *connection, struct handler_borrower *borrower);
void handler_connection_clear(struct handler_connection *connection);
/* Ends the statement under way, now and again until it has ended. */
void handler_connection_cancel(struct handler_connection *connection);
/* From time to time. */
void handler_connection_look(struct handler_connection *connection);
void handler_connection_free(struct handler_connection *connection);

#endif
