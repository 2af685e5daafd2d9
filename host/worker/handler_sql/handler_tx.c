/* While the handler runs: its statements, and what their errors leave. handler_tx_end.c has the rest. */
#include "worker/handler_sql/handler_tx.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/statements.h"
#include "worker/handler_sql/handler_tx_inside.h"

enum { OUTLIVES_MS = 5000 /* a transaction its attempt, where nobody ends it */ };

/* ---- the connection's events ---- */

static void reply_failure(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  struct buf payload = {0};
  if (unit)
    handler_reply_put_failure(unit, err, handler_pool_role(&tx->borrower), &payload);
  else
    handler_reply_put_error(*err->sqlstate ? err->sqlstate : SQLSTATE_CONNECTION_LOST, err->message, err->hint,
                            &payload);
  tx->events.reply(tx->owner, tx, &payload);
  buf_free(&payload);
}

static void run_statement(struct handler_tx *tx) {
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  handler_tx_set_state(tx, TX_RUNNING);
  tx->has_run = true;
  tx->reply = (struct handler_reply){.limit = tx->limit};
  handler_statement_add(&tx->statement, unit);
  handler_pool_stream(unit, tx->limit);
  handler_pool_submit(&tx->borrower, unit);
}

/* The server ends the transaction on its own a while after the attempt's time is over: this host may be frozen then. */
static void on_granted(void *owner) {
  struct handler_tx *tx = owner;
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  uint64_t now = handler_pool_now(tx->pool);
  uint64_t left = OUTLIVES_MS + (tx->deadline_ms > now ? tx->deadline_ms - now : 0);
  char *left_ms = xasprintf("%llu", (unsigned long long)left);
  const char *claim[] = {tx->identity[0], tx->identity[1], tx->identity[2], tx->identity[3], tx->secret, left_ms};
  const char *rehearsal[] = {left_ms};
  handler_tx_set_state(tx, TX_OPENING);
  pg_unit_add_sql(unit, "begin isolation level read committed read write");
  if (tx->secret)
    pg_unit_add_query(unit, handler_open_sql, 6, claim);
  else
    pg_unit_add_query(unit, handler_rehearse_sql, 1, rehearsal);
  handler_pool_submit(&tx->borrower, unit);
  free(left_ms);
}

static void on_refused(void *owner, const struct err *err) {
  struct handler_tx *tx = owner;
  handler_tx_set_state(tx, TX_LOST);
  handler_tx_note_failure(tx, err);
  if (tx->task)
    handler_tx_fail_broken(tx);
  else
    reply_failure(tx, NULL, err);
}

static void opened(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  if (!err) {
    tx->token = xstrdup(PQgetvalue(pg_unit_result(unit, 1), 0, 0));
    handler_tx_set_state(tx, TX_OPEN);
    if (tx->task)
      handler_tx_commit(tx);
    else
      run_statement(tx);
    return;
  }
  if (!pg_unit_is_known(unit)) return; /* on_lost follows */
  handler_tx_set_state(tx, TX_BROKEN);
  handler_tx_note_failure(tx, err);
  if (!tx->task)
    reply_failure(tx, unit, err);
  else if (sqlstate_is_stale_claim(err->sqlstate))
    handler_tx_end_with(tx, HANDLER_TX_STALE);
  else
    handler_tx_fail_broken(tx);
}

/* The handler has done what luaflow cannot complete the transaction after. */
static void refuse(struct handler_tx *tx, const char *sqlstate, const char *hint, const char *message) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_FAILED, "%s", message);
  err_hint(&err, "%s", hint);
  memcpy(err.sqlstate, sqlstate, sizeof err.sqlstate);
  handler_reply_free(&tx->reply);
  handler_tx_set_state(tx, TX_BROKEN);
  tx->failure = err;
  reply_failure(tx, NULL, &err);
}

/* Has the handler ended its own transaction, or made another encoding of its session's texts? */
static bool is_refused(struct handler_tx *tx) {
  if (handler_pool_status(&tx->borrower) == PQTRANS_IDLE) {
    refuse(tx, SQLSTATE_ENDED_INSIDE, "luaflow commits when the handler returns, and rolls back when it raises",
           "ctx.tx:query must not end the transaction: the attempt fails, and its writes are rolled back");
    return true;
  }
  const char *encoding = handler_pool_foreign_encoding(&tx->borrower);
  if (!encoding) return false;
  char *message = xasprintf("the handler changed client_encoding to %s: luaflow needs UTF8", encoding);
  refuse(tx, SQLSTATE_NOT_SUPPORTED, "remove the statement; convert_to and convert_from make other encodings of a text",
         message);
  free(message);
  return true;
}

static void reply_aborted(struct handler_tx *tx) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_FAILED,
          "the transaction was aborted by an earlier error (%s): it accepts no more statements",
          tx->failure.kind != ERR_NONE ? err_plain(tx->failure.message) : "unknown");
  err_hint(&err, "let that error end the handler, or run the statement inside a savepoint");
  memcpy(err.sqlstate, SQLSTATE_ABORTED, sizeof err.sqlstate);
  reply_failure(tx, NULL, &err);
}

static void answer_handler(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  struct buf payload = {0};
  if (err && !pg_unit_is_known(unit)) return; /* on_lost follows */
  if (is_refused(tx)) return;
  handler_tx_set_state(tx, TX_OPEN);
  if (err && sqlstate_is_aborted(err->sqlstate)) {
    reply_aborted(tx);
    return;
  }
  if (err) handler_tx_note_failure(tx, err);
  if (handler_reply_is_too_large(&tx->reply))
    handler_reply_put_too_large(&payload);
  else if (err)
    handler_reply_put_failure(unit, err, handler_pool_role(&tx->borrower), &payload);
  else
    handler_reply_put_rows(&tx->reply, pg_unit_result(unit, 0), &payload);
  handler_reply_free(&tx->reply);
  tx->events.reply(tx->owner, tx, &payload);
  buf_free(&payload);
}

static void on_row(void *owner, const PGresult *row) {
  struct handler_tx *tx = owner;
  if (!handler_reply_row(&tx->reply, row)) handler_pool_cancel(&tx->borrower);
}

static void on_answered(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_tx *tx = owner;
  switch (tx->state) {
    case TX_OPENING:
      opened(tx, unit, err);
      return;
    case TX_RUNNING:
      answer_handler(tx, unit, err);
      return;
    case TX_COMMITTING:
      if (!err) {
        handler_tx_end_with(tx, HANDLER_TX_COMMITTED);
      } else if (pg_unit_is_known(unit)) {
        handler_tx_commit_failed(tx, unit, err);
      }
      return;
    case TX_IDLE:
    case TX_WAITING:
    case TX_OPEN:
    case TX_BROKEN:
    case TX_LOST:
    case TX_UNKNOWN:
    case TX_ENDING:
      CHECK(false);
  }
}

static void wait_for_connection(struct handler_tx *tx) {
  handler_tx_set_state(tx, TX_WAITING);
  handler_pool_borrow(tx->pool, &tx->borrower);
}

/* The server rolls back what was not committed; if a commit is possible, the database is asked once the server's
 * process has ended. */
static void on_lost(void *owner, const struct err *err) {
  struct handler_tx *tx = owner;
  bool waits = tx->state == TX_RUNNING; /* the handler does */
  if (tx->state == TX_COMMITTING) {
    handler_tx_commit_unanswered(tx, err);
    return;
  }
  if (tx->state == TX_OPENING) { /* nothing has been done in it: another connection is as good */
    wait_for_connection(tx);
    return;
  }
  tx->is_lost = tx->state == TX_OPEN;
  handler_tx_set_state(tx, TX_LOST);
  handler_tx_note_failure(tx, err);
  if (tx->task)
    handler_tx_fail_broken(tx);
  else if (waits)
    reply_failure(tx, NULL, err);
}

/* ---- what the owner asks for ---- */

struct handler_tx *handler_tx_new(struct handler_pool *pool, const struct task *task, int64_t limit,
                                  const struct handler_tx_events *events, void *owner, struct log *log) {
  static const struct handler_borrower_events borrower_events = {.granted = on_granted,
                                                                 .refused = on_refused,
                                                                 .answered = on_answered,
                                                                 .row = on_row,
                                                                 .lost = on_lost,
                                                                 .cleared = handler_tx_cleared};
  struct handler_tx *tx = xcalloc(1, sizeof *tx);
  *tx = (struct handler_tx){.pool = pool,
                            .borrower = {.events = &borrower_events, .owner = tx},
                            .events = *events,
                            .owner = owner,
                            .log = log,
                            .deadline_ms = task->deadline_ms,
                            .limit = limit};
  tx->identity[0] = xstrdup(task->run_id);
  tx->identity[1] = xstrdup(task->step_slug);
  tx->identity[2] = xasprintf("%d", task->task_index);
  tx->identity[3] = xasprintf("%lld", (long long)task->claim_no);
  if (task->secret) tx->secret = xstrdup(task->secret);
  return tx;
}

bool handler_tx_is_asked(const struct handler_tx *tx) {
  return tx->state == TX_WAITING || tx->state == TX_OPENING || tx->state == TX_RUNNING;
}

const struct task *handler_tx_task(const struct handler_tx *tx) { return tx->task; }

void handler_tx_query(struct handler_tx *tx, struct handler_statement *statement) {
  if (tx->state == TX_BROKEN || tx->state == TX_LOST) {
    handler_statement_free(statement);
    reply_failure(tx, NULL, &tx->failure);
    return;
  }
  tx->statement = *statement;
  *statement = (struct handler_statement){0};
  if (tx->state == TX_OPEN)
    run_statement(tx);
  else
    wait_for_connection(tx);
}

/* The handler has completed: so shall its transaction. */
static void complete(struct handler_tx *tx) {
  bool aborted = tx->state == TX_OPEN && handler_pool_status(&tx->borrower) == PQTRANS_INERROR;
  if (handler_tx_is_asked(tx))
    handler_tx_fail_early(tx);
  else if (tx->state == TX_BROKEN || tx->state == TX_LOST || aborted)
    handler_tx_fail_broken(tx);
  else if (tx->state == TX_OPEN)
    handler_tx_commit(tx);
  else
    wait_for_connection(tx);
}

void handler_tx_settle(struct handler_tx *tx, struct task *task) {
  bool failed = task->verdict == VERDICT_FAILED && task->delay_s < 0 && !task->overdue;
  tx->task = task;
  if (task->verdict == VERDICT_COMPLETED)
    complete(tx);
  else if (task->verdict == VERDICT_FAILED && task->overdue && tx->state == TX_WAITING)
    handler_tx_fail_late(tx);
  else
    handler_tx_end_with(tx, failed ? handler_tx_failed_end(tx) : HANDLER_TX_SETTLED);
}

void handler_tx_drop(struct handler_tx *tx) { handler_tx_end_with(tx, HANDLER_TX_SETTLED); }

void handler_tx_look(struct handler_tx *tx, uint64_t now) {
  if (!tx->task || tx->late || now < tx->task->deadline_ms) return;
  if (tx->state == TX_COMMITTING) {
    tx->late = true;
    handler_pool_cancel(&tx->borrower);
  } else if (tx->state == TX_WAITING || tx->state == TX_OPENING) {
    handler_tx_fail_late(tx);
  }
}
