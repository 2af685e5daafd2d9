/* One connection between two borrowers: ending what the one has left, making the session as new. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "worker/control/statements.h"
#include "worker/handler_sql/handler_home.h"
#include "worker/handler_sql/handler_pool_inside.h"

enum { PATIENCE_MS = 5000 /* with what is to end; then the connection is replaced */ };

/* A cancel that is under way, which may outlive its connection. */
struct cancel {
  struct handler_connection *connection; /* NULL once that is freed */
};

static const struct state states[] = {HANDLER_CONNECTION_STATES(STATE_ROW)};

static void set_state(struct handler_connection *connection, enum handler_connection_state state) {
  STATE_CHECK(states, connection->state, state);
  connection->state = state;
}

static uint64_t now_of(const struct handler_connection *connection) { return uv_now(connection->pool->loop); }

/* ---- clearing ---- */

static void clear(struct handler_connection *connection);

static void on_reset(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_connection *connection = owner;
  (void)unit;
  connection->busy = false;
  if (connection->state != HANDLER_RESETTING || !pg_is_ready(connection->pg)) return;
  if (err) {
    pg_reconnect(connection->pg, err);
    return;
  }
  set_state(connection, HANDLER_IDLE);
  connection->clearing_since = 0;
  connection->idle_since = now_of(connection);
  handler_pool_is_free(connection);
}

static void reset(struct handler_connection *connection) {
  struct pg_unit *unit = pg_unit_new(on_reset, connection);
  set_state(connection, HANDLER_RESETTING);
  for (int i = 0; i < handler_reset_count; i++) pg_unit_add_sql(unit, handler_reset[i]);
  connection->busy = true;
  pg_submit(connection->pg, unit);
}

static void on_rolled_back(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_connection *connection = owner;
  (void)unit;
  (void)err; /* it is tried again, or the connection broke */
  connection->busy = false;
  if (connection->state == HANDLER_CLEARING) clear(connection);
}

static void roll_back(struct handler_connection *connection) {
  struct pg_unit *unit = pg_unit_new(on_rolled_back, connection);
  pg_unit_add_sql(unit, "rollback");
  connection->busy = true;
  pg_submit(connection->pg, unit);
}

/* A cancel may strike whatever comes next, so nothing does before it was answered. */
static void clear(struct handler_connection *connection) {
  if (!pg_is_ready(connection->pg)) return; /* on_lost follows */
  if (connection->busy) {
    handler_connection_cancel(connection);
    return;
  }
  if (connection->cancel) return;
  if (pg_transaction_status(connection->pg) != PQTRANS_IDLE) {
    roll_back(connection);
    return;
  }
  struct handler_borrower *borrower = connection->borrower;
  connection->borrower = NULL;
  reset(connection);
  if (!borrower) return;
  borrower->connection = NULL;
  borrower->events->cleared(borrower->owner);
}

/* A statement that is held back has not begun, and is not to. */
static void drop_held(struct handler_connection *connection) {
  if (!connection->held) return;
  pg_unit_free(connection->held);
  connection->held = NULL;
  connection->busy = false;
  connection->cancel_since = 0;
}

void handler_connection_clear(struct handler_connection *connection) {
  drop_held(connection);
  set_state(connection, HANDLER_CLEARING);
  connection->clearing_since = now_of(connection);
  clear(connection);
}

/* ---- ending statements ---- */

static void on_cancelled(void *owner, struct pg_unit *unit, const struct err *err) {
  struct cancel *cancel = owner;
  struct handler_connection *connection = cancel->connection;
  (void)unit;
  (void)err; /* handler_connection_look tries again */
  free(cancel);
  if (!connection) return;
  connection->cancel = NULL;
  struct pg_unit *held = connection->held;
  connection->held = NULL;
  if (held)
    pg_submit(connection->pg, held);
  else if (connection->state == HANDLER_CLEARING)
    clear(connection);
}

void handler_connection_cancel(struct handler_connection *connection) {
  struct pg *side = connection->pool->side;
  if (!connection->cancel_since) connection->cancel_since = now_of(connection);
  if (connection->cancel || !connection->busy || !pg_is_ready(side)) return;
  connection->cancel = xcalloc(1, sizeof *connection->cancel);
  connection->cancel->connection = connection;
  struct pg_unit *unit = pg_unit_new(on_cancelled, connection->cancel);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_CANCEL]);
  pg_param_int(params, connection->backend.pid);
  pg_param_text(params, connection->backend.started);
  pg_submit(side, unit);
}

void handler_connection_look(struct handler_connection *connection) {
  struct err err;
  uint64_t since = connection->cancel_since ? connection->cancel_since : connection->clearing_since;
  if (!since || !connection->busy || !pg_is_ready(connection->pg)) return;
  if (now_of(connection) - since < PATIENCE_MS) {
    if (connection->cancel_since) handler_connection_cancel(connection);
    return;
  }
  err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: a statement did not end within %d s when it was cancelled",
          PATIENCE_MS / 1000);
  pg_reconnect(connection->pg, &err);
}

/* ---- the borrower's units ---- */

static void on_answered(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_connection *connection = owner;
  connection->busy = false;
  connection->cancel_since = 0;
  if (connection->state == HANDLER_LENT)
    connection->borrower->events->answered(connection->borrower->owner, unit, err);
  else if (connection->state == HANDLER_CLEARING)
    clear(connection);
}

static void on_row(void *owner, const PGresult *row) {
  struct handler_connection *connection = owner;
  if (connection->state == HANDLER_LENT) connection->borrower->events->row(connection->borrower->owner, row);
}

struct pg_unit *handler_pool_unit(struct handler_borrower *borrower) {
  return pg_unit_new(on_answered, borrower->connection);
}

void handler_pool_stream(struct pg_unit *unit, int64_t limit) { pg_unit_stream(unit, limit, on_row); }

void handler_pool_submit(struct handler_borrower *borrower, struct pg_unit *unit) {
  struct handler_connection *connection = borrower->connection;
  connection->busy = true;
  if (connection->cancel)
    connection->held = unit;
  else
    pg_submit(connection->pg, unit);
}

/* ---- the connection ---- */

static void on_ready(void *owner) {
  struct handler_connection *connection = owner;
  set_state(connection, HANDLER_UNPROVEN);
  connection->idle_since = now_of(connection);
  handler_connection_prove(connection);
}

void handler_connection_prove(struct handler_connection *connection) {
  const struct handler_pool *pool = connection->pool;
  struct err err;
  if (connection->state == HANDLER_OPENING || !handler_pool_knows_home(pool)) return;
  if (pool->home && !handler_home_is_of(pool->home, connection->pg)) {
    handler_home_refuse(pool->home, connection->pg, pool->options.source, &err);
    pg_reconnect(connection->pg, &err);
  } else if (connection->state == HANDLER_UNPROVEN) {
    connection->backend = pg_last_backend(connection->pg);
    set_state(connection, HANDLER_IDLE);
    handler_pool_made(connection);
  }
}

static void on_lost(void *owner, const struct err *err, int retry_ms) {
  struct handler_connection *connection = owner;
  struct handler_pool *pool = connection->pool;
  struct handler_borrower *borrower = connection->borrower;
  struct err reason = *err;
  bool lent = connection->state == HANDLER_LENT;
  bool made = connection->state != HANDLER_OPENING && connection->state != HANDLER_UNPROVEN;
  (void)retry_ms;
  leftovers_add(pool->leftovers, connection->backend);
  connection->backend = (struct pg_backend){0};
  connection->borrower = NULL;
  connection->busy = false;
  connection->cancel_since = connection->clearing_since = 0;
  drop_held(connection);
  set_state(connection, HANDLER_OPENING);
  if (borrower) borrower->connection = NULL;
  if (borrower && lent)
    borrower->events->lost(borrower->owner, &reason);
  else if (borrower)
    handler_pool_depart(pool, borrower);
  if (!(made ? handler_pool_broke(pool) : handler_pool_not_made(pool, &reason))) handler_connection_free(connection);
}

void handler_connection_new(struct handler_pool *pool) {
  static const struct pg_events events = {.ready = on_ready, .lost = on_lost};
  const struct pg_options options = {
      .conninfo = pool->options.conninfo,
      .source = pool->options.source,
      .application_name = pool->options.application_name,
      .session = handler_settings,
      .session_count = HANDLER_SETTINGS_COUNT,
      .keeps_nothing = true,
  };
  struct err err;
  struct handler_connection *connection = xcalloc(1, sizeof *connection);
  connection->pg = pg_new(pool->loop, &options, &events, connection, &err);
  CHECK(connection->pg); /* the creator of the pool has checked the conninfo */
  connection->pool = pool;
  connection->state = HANDLER_OPENING;
  DL_APPEND(pool->connections, connection);
  pool->count++;
  pg_start(connection->pg);
}

void handler_connection_lend(struct handler_connection *connection, struct handler_borrower *borrower) {
  set_state(connection, HANDLER_LENT);
  pg_start(connection->pool->side);
  connection->borrower = borrower;
  borrower->connection = connection;
  borrower->events->granted(borrower->owner);
}

void handler_connection_free(struct handler_connection *connection) {
  struct handler_pool *pool = connection->pool;
  DL_DELETE(pool->connections, connection);
  pool->count--;
  connection->state = HANDLER_OPENING; /* what is answered now is nobody's any more */
  drop_held(connection);
  if (connection->cancel) connection->cancel->connection = NULL;
  pg_close(connection->pg);
  free(connection);
}
