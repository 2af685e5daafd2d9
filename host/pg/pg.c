/* Serving: one poll handle, one pump, and what follows when the connection breaks. */
#include "pg/pg.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "pg/pg_blame.h"
#include "pg/pg_inside.h"
#include "pg/pg_intake.h"
#include "pg/pg_parameters.h"

enum {
  BACKOFF_FIRST_MS = 50,
  BACKOFF_LAST_MS = 5000,
  BACKOFF_STEPS = 7,
  STEADY_MS = 1000, /* a connection that has lasted for so long was good */
  SET_UP_MS = 10000,
  READ_AT_ONCE = 256 << 10, /* bytes, while there is a limit */
  ROW_EXTRA = 1 << 20       /* what comes with a row: its frame, its end, other rows, the bytes of TLS */
};

/* What a unit begins with, for its patience: one of these, or a statement of the options by its place. */
enum { KIND_SET_UP, KIND_TEXT, KIND_STATEMENTS };

static const struct state states[] = {PG_STATES(STATE_ROW)};

static void on_poll(uv_poll_t *poll, int status, int events);

void pg_set_state(struct pg *pg, enum pg_state state) {
  STATE_CHECK(states, pg->state, state);
  pg->state = state;
}

static void on_poll_closed(uv_handle_t *handle) { free(handle); }

void pg_stop_watching(struct pg *pg) {
  if (!pg->poll) return;
  uv_close((uv_handle_t *)pg->poll, on_poll_closed);
  pg->poll = NULL;
}

bool pg_watch(struct pg *pg, int events) {
  if (!pg->poll) {
    pg->poll = xcalloc(1, sizeof *pg->poll);
    if (uv_poll_init(pg->loop, pg->poll, PQsocket(pg->conn)) < 0) {
      free(pg->poll);
      pg->poll = NULL;
      return false;
    }
    pg->poll->data = pg;
  }
  return uv_poll_start(pg->poll, events, on_poll) == 0;
}

static void drop_connection(struct pg *pg) {
  pg_stop_watching(pg);
  uv_timer_stop(&pg->timer);
  PQfinish(pg->conn);
  pg->conn = NULL;
}

static void finish_all(struct pg_unit *units, const struct err *err) {
  struct pg_unit *unit, *next;
  DL_FOREACH_SAFE(units, unit, next) pg_unit_finish(unit, err);
}

static int backoff_ms(struct pg *pg) {
  int step = pg->failures < BACKOFF_STEPS ? pg->failures : BACKOFF_STEPS;
  int full = BACKOFF_FIRST_MS << step;
  if (full > BACKOFF_LAST_MS) full = BACKOFF_LAST_MS;
  return full / 2 + (int)(uv_hrtime() / 1000 % (uint64_t)full); /* half to one and a half times as long */
}

static void on_wait_over(uv_timer_t *timer) { pg_attempt(timer->data); }

/* Both errors are copies: what the caller has may lie in a unit that is freed here. */
static void break_off(struct pg *pg, struct err of_units, struct err reason) {
  struct pg_unit *lost = pg->sent;
  if (pg->state == PG_READY && uv_now(pg->loop) - pg->ready_at >= STEADY_MS) pg->failures = 0;
  int retry_ms = backoff_ms(pg);
  pg->sent = NULL;
  if (pg->options.keeps_nothing) {
    DL_CONCAT(lost, pg->queue);
    pg->queue = NULL;
  }
  pg->failures++;
  pg->unparsed = 0;
  drop_connection(pg);
  pg_set_state(pg, PG_WAITING);
  uv_timer_start(&pg->timer, on_wait_over, (uint64_t)retry_ms, 0);
  finish_all(lost, &of_units);
  if (pg->state == PG_WAITING) pg->events.lost(pg->owner, &reason, retry_ms);
}

void pg_broke(struct pg *pg, const struct err *reason) { break_off(pg, *reason, *reason); }

/* Why the connection broke, in the words of the server, where it had some: to the unit under way, or to none. Else in
 * libpq's. */
void pg_broke_by_libpq(struct pg *pg) {
  struct err err;
  const char *severity = pg->sent ? pg_unit_field(pg->sent, PG_DIAG_SEVERITY_NONLOCALIZED) : NULL;
  const char *libpq = pg->conn ? PQerrorMessage(pg->conn) : "";
  if (*pg->last_words) {
    err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: %s", pg->last_words);
    pg_blame_connection(&err, pg->last_state);
  } else if (severity && strcmp(severity, "FATAL") == 0) {
    err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: %s", pg_unit_message(pg->sent));
    pg_blame_connection(&err, pg->sent->err.sqlstate);
  } else {
    pg_blame_attempt(&err, *libpq ? libpq : "the connection was lost");
    if (pg->conn) pg_parameters_blame(pg->options.source, pg->conn, &err);
  }
  pg_broke(pg, &err);
}

static void on_deadline(uv_timer_t *timer);

static int kind_of(const struct pg *pg, const struct pg_unit *unit) {
  const struct pg_statement *first = pg_unit_first(unit);
  if (pg->state == PG_SETTING_UP) return KIND_SET_UP;
  for (size_t i = 0; first && i < pg->options.statement_count; i++)
    if (first == &pg->options.statements[i]) return KIND_STATEMENTS + (int)i;
  return KIND_TEXT;
}

static uint64_t deadline_ms(const struct pg *pg) {
  return pg_patience_ms(pg->patience, kind_of(pg, pg->sent)) + (uint64_t)pg->sent->extra_ms;
}

static void arm_deadline(struct pg *pg) {
  bool unwatched = pg->options.deadline_ms == 0 && pg->state == PG_READY;
  if (!pg->sent || unwatched) {
    uv_timer_stop(&pg->timer);
    return;
  }
  uint64_t due = pg->sent->sent_at + deadline_ms(pg);
  uint64_t now = uv_now(pg->loop);
  uv_timer_start(&pg->timer, on_deadline, due > now ? due - now : 0, 0);
}

/* A process that was stopped for a while finds the timer first, though the answer has come meanwhile. */
static void on_deadline(uv_timer_t *timer) {
  struct pg *pg = timer->data;
  struct err err;
  uint64_t limit = deadline_ms(pg);
  PGconn *conn = pg->conn;
  pg_pump(pg, true);
  if (pg->conn != conn || !conn || !pg->sent || uv_now(pg->loop) < pg->sent->sent_at + limit) return;
  pg->sent->overdue = true;
  pg_patience_passed(pg->patience, kind_of(pg, pg->sent));
  err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: no answer within %d s", (int)(limit / 1000));
  pg_broke(pg, &err);
}

static bool read_more(struct pg *pg) {
  if (!pg->sent || !pg->sent->limit) return PQconsumeInput(pg->conn) == 1;
  int64_t taken;
  bool alive = pg_intake(pg->conn, READ_AT_ONCE, &taken);
  pg->unparsed += taken;
  return alive;
}

static bool is_too_large(const struct pg *pg) {
  if (!pg->sent || !pg->sent->limit) return false;
  int64_t limit = pg->sent->limit;
  return pg->unparsed > limit + limit / 32 + ROW_EXTRA;
}

/* Moves every unit whose results are all there from sent to *answered. */
static void take_results(struct pg *pg, struct pg_unit **answered) {
  while (pg->sent && !PQisBusy(pg->conn)) {
    struct pg_unit *unit = pg->sent;
    pg->unparsed = 0;
    if (!pg_unit_take(unit, PQgetResult(pg->conn), pg->conn)) break;
    if (!unit->synced) continue;
    DL_DELETE(pg->sent, unit);
    DL_APPEND(*answered, unit);
    uint64_t now = uv_now(pg->loop);
    if (unit->err.kind == ERR_NONE) pg_patience_answered(pg->patience, kind_of(pg, unit), now - unit->sent_at);
    if (pg->sent) pg->sent->sent_at = now; /* its turn begins now */
  }
}

void pg_add_sent(struct pg *pg, struct pg_unit *unit) {
  DL_APPEND(pg->sent, unit);
  unit->sent_at = uv_now(pg->loop);
}

static bool send_queued(struct pg *pg) {
  while (pg->state == PG_READY && pg->queue) {
    struct pg_unit *unit = pg->queue;
    DL_DELETE(pg->queue, unit);
    pg_add_sent(pg, unit);
    if (!pg_unit_send(unit, pg->conn)) return false;
  }
  return true;
}

static void report_notifications(struct pg *pg) {
  PGnotify *notify;
  while (pg->conn && (notify = PQnotifies(pg->conn))) {
    if (pg->events.notified) pg->events.notified(pg->owner, notify->relname, notify->extra);
    PQfreemem(notify);
  }
}

/* Nothing else can be done with the connection now. */
static void refuse_copy(struct pg *pg) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_DATABASE, "database: COPY from or to the client is not possible");
  memcpy(err.sqlstate, SQLSTATE_NOT_SUPPORTED, sizeof err.sqlstate);
  pg_broke(pg, &err);
}

/* The server sends the row to its end, whatever the client asks. */
static void refuse_row(struct pg *pg) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_DATABASE, "database: the result is larger than --max-output allows");
  err_hint(&err, "select less in one row: a single row is larger");
  memcpy(err.sqlstate, SQLSTATE_TOO_LARGE, sizeof err.sqlstate);
  pg_broke(pg, &err);
}

void pg_pump(struct pg *pg, bool readable) {
  struct pg_unit *answered = NULL;
  bool alive = !readable || read_more(pg);
  take_results(pg, &answered);
  bool copies = pg->sent && pg->sent->copies, large = is_too_large(pg);
  alive = alive && send_queued(pg);
  int unflushed = alive ? PQflush(pg->conn) : -1;
  alive = alive && unflushed >= 0 && PQstatus(pg->conn) == CONNECTION_OK;
  if (alive) alive = pg_watch(pg, UV_READABLE | (unflushed ? UV_WRITABLE : 0));
  if (alive) arm_deadline(pg);
  PGconn *conn = pg->conn;
  finish_all(answered, NULL);
  if (pg->conn != conn) return; /* a callback closed or broke it */
  report_notifications(pg);
  if (pg->conn == conn && conn && copies) {
    refuse_copy(pg);
  } else if (pg->conn == conn && conn && large) {
    refuse_row(pg);
  } else if (pg->conn == conn && conn && !alive) {
    pg_broke_by_libpq(pg);
  }
}

static void on_kick(uv_idle_t *kick) {
  struct pg *pg = kick->data;
  uv_idle_stop(kick);
  if (pg->state == PG_READY || pg->state == PG_SETTING_UP) pg_pump(pg, false);
}

void pg_kick(struct pg *pg) { uv_idle_start(&pg->kick, on_kick); }

static void on_poll(uv_poll_t *poll, int status, int events) {
  struct pg *pg = poll->data;
  if (pg->state == PG_CONNECTING)
    pg_connect_step(pg);
  else if (status < 0)
    pg_broke_by_libpq(pg);
  else
    pg_pump(pg, events & UV_READABLE);
}

struct pg *pg_new(uv_loop_t *loop, const struct pg_options *options, const struct pg_events *events, void *owner,
                  struct err *err) {
  const char *source = options->source ? options->source : "database";
  struct pg_target *target = pg_target_new(source, options->conninfo, options->application_name, err);
  if (!target) return NULL;
  struct pg *pg = xcalloc(1, sizeof *pg);
  *pg = (struct pg){.loop = loop, .options = *options, .events = *events, .owner = owner, .target = target};
  pg->options.source = source;
  pg->patience = pg_patience_new(options->deadline_ms ? options->deadline_ms : SET_UP_MS,
                                 KIND_STATEMENTS + (int)options->statement_count);
  uv_timer_init(loop, &pg->timer);
  uv_idle_init(loop, &pg->kick);
  pg->timer.data = pg;
  pg->kick.data = pg;
  pg->open_handles = 2;
  return pg;
}

void pg_start(struct pg *pg) {
  if (pg->state == PG_NEW) pg_attempt(pg);
}

bool pg_rest(struct pg *pg) {
  if (pg->state != PG_READY || pg->sent || pg->queue) return false;
  drop_connection(pg);
  pg_set_state(pg, PG_NEW);
  return true;
}

bool pg_is_ready(const struct pg *pg) { return pg->state == PG_READY; }

bool pg_is_closed(const struct pg *pg) { return pg->state == PG_CLOSED; }

PGTransactionStatusType pg_transaction_status(const struct pg *pg) { return PQtransactionStatus(pg->conn); }

const char *pg_encoding(const struct pg *pg) {
  const char *encoding = PQparameterStatus(pg->conn, "client_encoding");
  return encoding ? encoding : "";
}

const char *pg_role(const struct pg *pg) { return pg->role; }

const char *pg_place(const struct pg *pg) { return pg->place; }

const char *pg_server(const struct pg *pg) { return pg->server; }

struct pg_backend pg_last_backend(const struct pg *pg) {
  return pg->backend;
}

void pg_submit(struct pg *pg, struct pg_unit *unit) {
  DL_APPEND(pg->queue, unit);
  if (pg->state == PG_READY) pg_kick(pg);
}

void pg_reconnect(struct pg *pg, const struct err *err) {
  if (pg->state == PG_CLOSED || pg->state == PG_NEW || pg->state == PG_WAITING) return;
  struct err unanswered = *err;
  *unanswered.sqlstate = '\0';
  break_off(pg, unanswered, *err);
}

static void on_handle_closed(uv_handle_t *handle) {
  struct pg *pg = handle->data;
  if (--pg->open_handles > 0) return;
  pg_patience_free(pg->patience);
  free(pg);
}

void pg_close(struct pg *pg) {
  if (!pg || pg->state == PG_CLOSED) return;
  struct pg_unit *sent = pg->sent, *queue = pg->queue;
  struct err err;
  err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: the connection was closed");
  pg->sent = pg->queue = NULL;
  pg_set_state(pg, PG_CLOSED);
  drop_connection(pg);
  pg_target_free(pg->target);
  finish_all(sent, &err);
  finish_all(queue, &err);
  uv_close((uv_handle_t *)&pg->timer, on_handle_closed);
  uv_close((uv_handle_t *)&pg->kick, on_handle_closed);
}
