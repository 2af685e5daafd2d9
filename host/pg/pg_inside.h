/* What pg.c (serving) and pg_connect.c (getting there) share. */
#ifndef LUAFLOW_PG_PG_INSIDE_H
#define LUAFLOW_PG_PG_INSIDE_H

#include <libpq-fe.h>

#include "base/states.h"
#include "pg/pg.h"
#include "pg/pg_patience.h"
#include "pg/pg_place.h"
#include "pg/pg_resolve.h"

/* X(state, name, states it may move to) */
#define PG_STATES(X)                                                                 \
  X(PG_NEW, "new", TO(PG_RESOLVING) | TO(PG_CLOSED))                                 \
  X(PG_RESOLVING, "resolving", TO(PG_CONNECTING) | TO(PG_WAITING) | TO(PG_CLOSED))   \
  X(PG_CONNECTING, "connecting", TO(PG_SETTING_UP) | TO(PG_WAITING) | TO(PG_CLOSED)) \
  X(PG_SETTING_UP, "setting up", TO(PG_READY) | TO(PG_WAITING) | TO(PG_CLOSED))      \
  X(PG_READY, "ready", TO(PG_NEW) | TO(PG_WAITING) | TO(PG_CLOSED))                  \
  X(PG_WAITING, "waiting", TO(PG_RESOLVING) | TO(PG_CLOSED))                         \
  X(PG_CLOSED, "closed", 0)

enum pg_state { PG_STATES(STATE_ENUM) };

struct pg {
  uv_loop_t *loop;
  struct pg_options options;
  struct pg_events events;
  void *owner;
  enum pg_state state;
  struct pg_target *target;
  PGconn *conn;
  uv_poll_t *poll;  /* on the heap, since it outlives its connection by a turn of the loop; NULL without a connection */
  uv_timer_t timer; /* end of the attempt, of the wait, or of the first unit's deadline */
  uv_idle_t kick;   /* active while something was submitted and not pumped */
  int open_handles;
  int failures;      /* connections in a row that were not established, or did not last */
  uint64_t ready_at; /* uv_now */
  struct pg_patience *patience;
  struct pg_backend backend;
  char server[64];
  char last_words[256];  /* what the server said as it ended this connection, with no unit under way; "" : nothing */
  char last_state[6];    /* the SQLSTATE of that */
  char place[PG_PLACE];  /* of the last connection */
  char role[64];         /* a name of Postgres has 63 bytes at most */
  struct pg_unit *queue; /* not sent */
  struct pg_unit *sent;  /* in the order of their results */
  int64_t unparsed;      /* bytes that were read since the last result, of a streamed unit alone */
};

/* pg.c */
/* Takes the unit as the next one whose results come. */
void pg_add_sent(struct pg *pg, struct pg_unit *unit);
void pg_set_state(struct pg *pg, enum pg_state state);
/* Watches the connection's present socket for UV_READABLE and UV_WRITABLE. */
bool pg_watch(struct pg *pg, int events) __attribute__((warn_unused_result));
void pg_stop_watching(struct pg *pg);
/* Reads what has come if readable, answers, sends what is queued, and sets what to wait for. */
void pg_pump(struct pg *pg, bool readable);
/* Pumps in the next turn of the loop. */
void pg_kick(struct pg *pg);
/* Drops the connection, ends the units that were sent with the error, and waits for the next attempt. */
void pg_broke(struct pg *pg, const struct err *reason);
void pg_broke_by_libpq(struct pg *pg); /* with libpq's message */

/* pg_connect.c */
/* Starts the next attempt. */
void pg_attempt(struct pg *pg);
/* The socket is ready for the next step, or dead: libpq knows why, or tries the next address. */
void pg_connect_step(struct pg *pg);

#endif
