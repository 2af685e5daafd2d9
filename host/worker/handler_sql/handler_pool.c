/* Borrowers and connections, brought together. */
#include "worker/handler_sql/handler_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/handler_sql/handler_pool_inside.h"

enum { TICK_MS = 250, IDLE_MS = 10000, STARVED_MS = 5000 /* a wait that is reported */ };

static struct handler_connection *find_idle(const struct handler_pool *pool) {
  struct handler_connection *connection;
  DL_FOREACH(pool->connections, connection) if (connection->state == HANDLER_IDLE) return connection;
  return NULL;
}

static int count_opening(const struct handler_pool *pool) {
  const struct handler_connection *connection;
  int count = 0;
  DL_FOREACH(pool->connections, connection) {
    count += connection->state == HANDLER_OPENING || connection->state == HANDLER_UNPROVEN;
  }
  return count;
}

static int count_waiting(const struct handler_pool *pool) {
  const struct handler_borrower *borrower;
  int count = 0;
  DL_FOREACH(pool->waiting, borrower) count++;
  return count;
}

static struct handler_borrower *next_waiting(struct handler_pool *pool) {
  struct handler_borrower *borrower = pool->waiting;
  if (!borrower) return NULL;
  DL_DELETE(pool->waiting, borrower);
  borrower->queued = false;
  return borrower;
}

bool handler_pool_knows_home(const struct handler_pool *pool) { return !pool->home || pg_is_ready(pool->home); }

/* Statements of others take long, or the database gives out no connection. */
static const char *why_none(const struct handler_pool *pool, char *words, size_t size) {
  if (pool->complaint.said) return pool->complaint.message;
  if (!handler_pool_knows_home(pool)) return "the worker's own connection is lost";
  snprintf(words, size, "all %d (--handler-connections) are in use", pool->count);
  return words;
}

static void look_at_waiting(struct handler_pool *pool) {
  bool starved = pool->waiting && uv_now(pool->loop) - pool->waiting->queued_at > STARVED_MS;
  char words[64];
  if (starved) {
    troubles_set(pool->options.troubles, TROUBLE_CONNECTIONS, count_waiting(pool), why_none(pool, words, sizeof words));
  } else if (pool->starved) {
    troubles_set(pool->options.troubles, TROUBLE_CONNECTIONS, 0, NULL);
  }
  pool->starved = starved;
}

static bool is_unused(const struct handler_connection *connection) {
  return connection->state == HANDLER_IDLE || (connection->state == HANDLER_UNPROVEN && !connection->pool->waiting);
}

static void on_tick(uv_timer_t *timer) {
  struct handler_pool *pool = timer->data;
  struct handler_connection *connection, *next;
  uint64_t now = uv_now(pool->loop);
  DL_FOREACH_SAFE(pool->connections, connection, next) {
    if (is_unused(connection) && now - connection->idle_since > IDLE_MS)
      handler_connection_free(connection);
    else
      handler_connection_look(connection);
  }
  look_at_waiting(pool);
  if (!pool->connections && !pool->waiting) uv_timer_stop(timer);
}

static void refuse_all(struct handler_pool *pool, const struct err *err) {
  struct handler_borrower *borrower;
  while ((borrower = next_waiting(pool))) borrower->events->refused(borrower->owner, err);
}

static void open_more(struct handler_pool *pool) {
  int wanted = count_waiting(pool) - count_opening(pool);
  for (; wanted > 0 && pool->count < pool->options.connections; wanted--) handler_connection_new(pool);
  if (pool->connections && !uv_is_active((uv_handle_t *)&pool->tick))
    uv_timer_start(&pool->tick, on_tick, TICK_MS, TICK_MS);
}

/* It gives out another connection, or those that there are suffice. */
static void end_complaint(struct handler_pool *pool) {
  if (complaint_end(&pool->complaint)) LOG(pool->log, LOG_INFO, "handler_database_back");
}

/* In the order in which they came. */
static void serve(uv_idle_t *kick) {
  struct handler_pool *pool = kick->data;
  struct handler_connection *connection;
  uv_idle_stop(kick);
  if (!handler_pool_knows_home(pool)) return; /* handler_pool_look_home follows */
  while (pool->waiting && (connection = find_idle(pool))) handler_connection_lend(connection, next_waiting(pool));
  if (!pool->waiting) end_complaint(pool);
  open_more(pool);
}

void handler_pool_is_free(struct handler_connection *connection) { uv_idle_start(&connection->pool->kick, serve); }

void handler_pool_made(struct handler_connection *connection) {
  end_complaint(connection->pool);
  handler_pool_is_free(connection);
}

void handler_pool_look_home(struct handler_pool *pool) {
  struct handler_connection *connection, *next;
  DL_FOREACH_SAFE(pool->connections, connection, next) handler_connection_prove(connection);
  uv_idle_start(&pool->kick, serve);
}

void handler_pool_pin(struct handler_pool *pool, struct pg *home) {
  pool->home = home;
  handler_pool_look_home(pool);
}

bool handler_pool_is_used(const struct handler_pool *pool) {
  const struct handler_connection *connection;
  int used = pool->waiting != NULL;
  DL_FOREACH(pool->connections, connection) used += connection->state != HANDLER_IDLE;
  return used > 0;
}

/* The conninfo is wrong, or the server has refused it. */
static bool is_final(const struct err *err) {
  return err->kind == ERR_CONFIG || sqlstate_refuses_for_good(err->sqlstate);
}

bool handler_pool_broke(struct handler_pool *pool) { return pool->waiting != NULL; }

bool handler_pool_not_made(struct handler_pool *pool, const struct err *err) {
  if (pool->waiting && pool->options.patient && complaint_is_new(&pool->complaint, err))
    LOG(pool->log, LOG_WARN, "handler_database_not_reached", LOG_STR("given_by", pool->options.source), LOG_ERR(err));
  if (pool->waiting && (is_final(err) || !pool->options.patient)) refuse_all(pool, err);
  return pool->waiting != NULL;
}

void handler_pool_borrow(struct handler_pool *pool, struct handler_borrower *borrower) {
  DL_APPEND(pool->waiting, borrower);
  borrower->queued = true;
  borrower->queued_at = uv_now(pool->loop);
  uv_idle_start(&pool->kick, serve);
}

PGTransactionStatusType handler_pool_status(const struct handler_borrower *borrower) {
  const struct pg *pg = borrower->connection->pg;
  return pg_is_ready(pg) ? pg_transaction_status(pg) : PQTRANS_UNKNOWN;
}

const char *handler_pool_foreign_encoding(const struct handler_borrower *borrower) {
  const struct pg *pg = borrower->connection->pg;
  const char *encoding = pg_is_ready(pg) ? pg_encoding(pg) : "";
  return *encoding && strcmp(encoding, "UTF8") != 0 ? encoding : NULL;
}

const char *handler_pool_role(const struct handler_borrower *borrower) {
  return borrower->connection ? pg_role(borrower->connection->pg) : "";
}

bool handler_pool_explain(const struct handler_pool *pool, const struct handler_borrower *borrower,
                          struct handler_wait *wait) {
  char words[64];
  if (!borrower->queued || borrower->connection) return false;
  double waited_s = (double)(uv_now(pool->loop) - borrower->queued_at) / 1000;
  wait->is_outage = pool->complaint.said || !handler_pool_knows_home(pool);
  snprintf(wait->text, sizeof wait->text, "waited %.0f s for a connection to the database: %s", waited_s,
           err_plain(why_none(pool, words, sizeof words)));
  return true;
}

uint64_t handler_pool_now(const struct handler_pool *pool) { return uv_now(pool->loop); }

void handler_pool_cancel(struct handler_borrower *borrower) { handler_connection_cancel(borrower->connection); }

void handler_pool_give_back(struct handler_pool *pool, struct handler_borrower *borrower, bool wants_cleared) {
  struct handler_connection *connection = borrower->connection;
  if (borrower->queued) {
    DL_DELETE(pool->waiting, borrower);
    borrower->queued = false;
  }
  if (connection) {
    if (!wants_cleared) {
      borrower->connection = NULL;
      connection->borrower = NULL;
    }
    handler_connection_clear(connection);
  } else if (wants_cleared) {
    borrower->events->cleared(borrower->owner);
  }
}

void handler_pool_depart(struct handler_pool *pool, struct handler_borrower *borrower) {
  DL_APPEND(pool->departing, borrower);
  borrower->queued = true;
}

void handler_pool_await_gone(struct handler_pool *pool, struct handler_borrower *borrower) {
  if (leftovers_are_settled(pool->leftovers))
    borrower->events->cleared(borrower->owner);
  else
    handler_pool_depart(pool, borrower);
}

void handler_pool_old_is_gone(struct handler_pool *pool) {
  struct handler_borrower *gone = pool->departing, *borrower, *next;
  pool->departing = NULL;
  DL_FOREACH_SAFE(gone, borrower, next) {
    borrower->queued = false;
    borrower->events->cleared(borrower->owner);
  }
}

struct handler_pool *handler_pool_new(uv_loop_t *loop, const struct handler_pool_options *options, struct pg *side,
                                      struct leftovers *leftovers, struct log *log) {
  struct handler_pool *pool = xcalloc(1, sizeof *pool);
  *pool = (struct handler_pool){.loop = loop, .options = *options, .side = side, .leftovers = leftovers, .log = log};
  uv_timer_init(loop, &pool->tick);
  uv_idle_init(loop, &pool->kick);
  pool->tick.data = pool->kick.data = pool;
  pool->open_handles = 2;
  return pool;
}

static void on_closed(uv_handle_t *handle) {
  struct handler_pool *pool = handle->data;
  if (--pool->open_handles == 0) free(pool);
}

void handler_pool_close(struct handler_pool *pool) {
  if (!pool) return;
  while (pool->connections) handler_connection_free(pool->connections);
  pool->waiting = pool->departing = NULL;
  uv_close((uv_handle_t *)&pool->tick, on_closed);
  uv_close((uv_handle_t *)&pool->kick, on_closed);
}
