/* The states of one transaction. What may follow an error is decided in one place each: while the handler runs (answer_handler), and once it
 * has ended (commit_failed, on_lost). */
#include "worker/handler_tx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "worker/handler_reply.h"
#include "worker/statements.h"

/* X(state, states it may move to). LOST: the connection broke while the handler ran. UNKNOWN: it broke after COMMIT was sent. */
#define TX_STATES(X)                                                      \
  X(IDLE, IN(WAITING) | IN(ENDING))                                       \
  X(WAITING, IN(OPENING) | IN(LOST) | IN(ENDING))                         \
  X(OPENING, IN(OPEN) | IN(BROKEN) | IN(LOST) | IN(WAITING) | IN(ENDING)) \
  X(OPEN, IN(RUNNING) | IN(COMMITTING) | IN(LOST) | IN(ENDING))           \
  X(RUNNING, IN(OPEN) | IN(BROKEN) | IN(LOST) | IN(ENDING))               \
  X(BROKEN, IN(LOST) | IN(ENDING))                                        \
  X(LOST, IN(ENDING))                                                     \
  X(COMMITTING, IN(UNKNOWN) | IN(ENDING))                                 \
  X(UNKNOWN, 0)                                                           \
  X(ENDING, 0)

enum tx_state {
#define X(name, moves) TX_##name,
  TX_STATES(X)
#undef X
};

static const unsigned legal_moves[] = {
#define IN(name) (1u << TX_##name)
#define X(name, moves) moves,
    TX_STATES(X)
#undef X
#undef IN
};

struct handler_tx {
  struct handler_pool *pool;
  struct handler_borrower borrower;
  struct handler_tx_events events;
  void *owner;
  struct log *log;
  enum tx_state state;
  uint64_t number;
  char *identity[4]; /* owned; run, step, index, claim */
  char *token;       /* owned; NULL before it is open */
  int64_t limit;
  struct handler_statement statement; /* waits until it is open */
  struct handler_reply reply;
  struct err failure; /* the first error; kind ERR_NONE: none */
  bool conflict;      /* a deadlock or a serialization failure was among the errors */
  bool late;          /* the commit was cancelled since the attempt's time is over */
  enum handler_tx_end end;
  struct task *task; /* owned; NULL while the handler runs */
};

static void set_state(struct handler_tx *tx, enum tx_state state) {
  CHECK(legal_moves[tx->state] & (1u << state));
  tx->state = state;
}

static bool is_conflict(const char *sqlstate) {
  return strcmp(sqlstate, "40001") == 0 || strcmp(sqlstate, "40P01") == 0;
}

static const char *plain(const struct err *err) {
  static const char prefix[] = "database: ";
  bool prefixed = strncmp(err->message, prefix, sizeof prefix - 1) == 0;
  return prefixed ? err->message + sizeof prefix - 1 : err->message;
}

/* Nothing can be done in it any more, for this reason. */
static void note_failure(struct handler_tx *tx, const struct err *err) {
  if (tx->failure.kind == ERR_NONE) tx->failure = *err;
  tx->conflict = tx->conflict || is_conflict(err->sqlstate);
}

/* ---- the end ---- */

void handler_tx_free(struct handler_tx *tx) {
  for (int i = 0; i < 4; i++) free(tx->identity[i]);
  free(tx->token);
  handler_statement_free(&tx->statement);
  handler_reply_free(&tx->reply);
  if (tx->task) task_free(tx->task);
  free(tx);
}

static void finish(struct handler_tx *tx) {
  struct task *task = tx->task;
  tx->task = NULL;
  tx->events.ended(tx->owner, tx, tx->end, task);
  handler_tx_free(tx);
}

static void on_cleared(void *owner) { finish(owner); }

/* Gives the connection back, whatever is open on it. on_cleared follows. */
static void end_with(struct handler_tx *tx, enum handler_tx_end end) {
  bool lost = tx->state == TX_LOST;
  tx->end = end;
  set_state(tx, TX_ENDING);
  if (lost)
    handler_pool_await_gone(tx->pool, &tx->borrower);
  else
    handler_pool_give_back(tx->pool, &tx->borrower, true);
}

/* The handler has completed, its transaction has not: the attempt fails. */
static void fail(struct handler_tx *tx, const char *what, const char *message, const char *detail) {
  task_settle_message(tx->task, VERDICT_FAILED, "%s%s", what, message);
  if (detail) task_add_detail(tx->task, detail, strlen(detail));
  end_with(tx, tx->conflict ? HANDLER_TX_RESTART : HANDLER_TX_SETTLED);
}

static void fail_broken(struct handler_tx *tx) {
  fail(tx, "the transaction was rolled back: ", plain(&tx->failure), NULL);
}

static void fail_late(struct handler_tx *tx) {
  task_settle_message(tx->task, VERDICT_FAILED, "timed out after %d s", tx->task->timeout_s);
  end_with(tx, HANDLER_TX_SETTLED);
}

/* ---- commit ---- */

static void commit(struct handler_tx *tx) {
  const char *values[] = {tx->token,       tx->identity[0], tx->identity[1],
                          tx->identity[2], tx->identity[3], tx->task->text};
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  set_state(tx, TX_COMMITTING);
  pg_unit_add_query(unit, handler_complete_sql, 6, values);
  pg_unit_add_sql(unit, "commit");
  handler_pool_submit(&tx->borrower, unit);
}

/* The server has confirmed that it did not commit. */
static void commit_failed(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  const char *message = pg_unit_message(unit);
  const char *detail = pg_unit_detail(unit);
  bool completing = pg_unit_failed_call(unit) == 0;
  if (tx->late) {
    fail_late(tx);
  } else if (completing && strcmp(err->sqlstate, "LF001") == 0) {
    end_with(tx, HANDLER_TX_STALE);
  } else if (completing && strcmp(err->sqlstate, "LF003") == 0) {
    end_with(tx, HANDLER_TX_SETTLED); /* its output ends the run: that is recorded the ordinary way */
  } else {
    note_failure(tx, err);
    fail(tx,
         completing ? "the task could not be completed inside its transaction: " : "the transaction did not commit: ",
         message ? message : plain(err), detail);
  }
}

/* ---- the connection's events ---- */

static void reply_failure(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  struct buf payload = {0};
  if (unit)
    handler_reply_put_failure(unit, err, &payload);
  else
    handler_reply_put_error(*err->sqlstate ? err->sqlstate : "08006", err->message, err->hint, &payload);
  tx->events.reply(tx->owner, tx, &payload);
  buf_free(&payload);
}

static void run_statement(struct handler_tx *tx) {
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  set_state(tx, TX_RUNNING);
  tx->reply = (struct handler_reply){.limit = tx->limit};
  handler_statement_add(&tx->statement, unit);
  handler_pool_stream(unit);
  handler_pool_submit(&tx->borrower, unit);
}

static void on_granted(void *owner) {
  struct handler_tx *tx = owner;
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  set_state(tx, TX_OPENING);
  pg_unit_add_sql(unit, "begin isolation level read committed read write");
  pg_unit_add_query(unit, handler_open_sql, 4, (const char *const *)tx->identity);
  handler_pool_submit(&tx->borrower, unit);
}

static void on_refused(void *owner, const struct err *err) {
  struct handler_tx *tx = owner;
  set_state(tx, TX_LOST);
  note_failure(tx, err);
  if (tx->task)
    fail_broken(tx);
  else
    reply_failure(tx, NULL, err);
}

static void opened(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  if (!err) {
    tx->token = xstrdup(PQgetvalue(pg_unit_result(unit, 1), 0, 0));
    set_state(tx, TX_OPEN);
    if (tx->task)
      commit(tx);
    else
      run_statement(tx);
    return;
  }
  if (!pg_unit_is_known(unit)) return; /* on_lost follows */
  set_state(tx, TX_BROKEN);
  note_failure(tx, err);
  if (!tx->task)
    reply_failure(tx, unit, err);
  else if (strcmp(err->sqlstate, "LF001") == 0)
    end_with(tx, HANDLER_TX_STALE);
  else
    fail_broken(tx);
}

/* The handler has ended its own transaction. */
static void reply_ended(struct handler_tx *tx) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_FAILED,
          "ctx.tx:query must not end the transaction: the attempt fails, and nothing of it is kept");
  err_hint(&err, "luaflow commits when the handler returns, and rolls back when it raises");
  memcpy(err.sqlstate, "2D000", sizeof err.sqlstate);
  tx->failure = err;
  set_state(tx, TX_BROKEN);
  reply_failure(tx, NULL, &err);
}

static void reply_aborted(struct handler_tx *tx) {
  struct err err;
  err_set(&err, ERR_CONFIG, EXIT_FAILED,
          "the transaction was aborted by an earlier error (%s): nothing else can be done in it",
          tx->failure.kind != ERR_NONE ? plain(&tx->failure) : "unknown");
  err_hint(&err, "let that error end the handler, or guard the statement with a savepoint");
  memcpy(err.sqlstate, "25P02", sizeof err.sqlstate);
  reply_failure(tx, NULL, &err);
}

static void answer_handler(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  struct buf payload = {0};
  if (err && !pg_unit_is_known(unit)) return; /* on_lost follows */
  if (handler_pool_status(&tx->borrower) == PQTRANS_IDLE) {
    reply_ended(tx);
    return;
  }
  set_state(tx, TX_OPEN);
  if (err && strcmp(err->sqlstate, "25P02") == 0) {
    reply_aborted(tx);
    return;
  }
  if (err) note_failure(tx, err);
  if (handler_reply_is_too_large(&tx->reply))
    handler_reply_put_too_large(&payload);
  else if (err)
    handler_reply_put_failure(unit, err, &payload);
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
        end_with(tx, HANDLER_TX_COMMITTED);
      } else if (pg_unit_is_known(unit)) {
        commit_failed(tx, unit, err);
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
  set_state(tx, TX_WAITING);
  handler_pool_borrow(tx->pool, &tx->borrower);
}

/* What was not committed is rolled back by the server; what perhaps was is asked for once its process is gone. */
static void on_lost(void *owner, const struct err *err) {
  struct handler_tx *tx = owner;
  bool waits = tx->state == TX_RUNNING || tx->state == TX_OPENING; /* the handler does, unless it has ended */
  if (tx->state == TX_COMMITTING) {
    set_state(tx, TX_UNKNOWN);
    LOG(tx->log, LOG_INFO, "commit_unanswered", LOG_STR("run", tx->identity[0]), LOG_STR("step", tx->identity[1]));
    task_settle(tx->task, VERDICT_RELEASED, NULL, 0, 0);
    tx->end = HANDLER_TX_SETTLED;
    handler_pool_await_gone(tx->pool, &tx->borrower);
    return;
  }
  if (tx->task && !tx->token) { /* the handler has done nothing in it: another connection is as good */
    wait_for_connection(tx);
    return;
  }
  set_state(tx, TX_LOST);
  note_failure(tx, err);
  if (tx->task)
    fail_broken(tx);
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
                                                                 .cleared = on_cleared};
  struct handler_tx *tx = xcalloc(1, sizeof *tx);
  *tx = (struct handler_tx){.pool = pool,
                            .borrower = {.events = &borrower_events, .owner = tx},
                            .events = *events,
                            .owner = owner,
                            .log = log,
                            .number = task->number,
                            .limit = limit};
  tx->identity[0] = xstrdup(task->run_id);
  tx->identity[1] = xstrdup(task->step_slug);
  tx->identity[2] = xasprintf("%d", task->task_index);
  tx->identity[3] = xasprintf("%lld", (long long)task->claim_no);
  return tx;
}

uint64_t handler_tx_number(const struct handler_tx *tx) { return tx->number; }

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
  if (tx->state == TX_BROKEN || tx->state == TX_LOST || aborted)
    fail_broken(tx);
  else if (tx->state == TX_OPEN)
    commit(tx);
  else
    wait_for_connection(tx);
}

void handler_tx_settle(struct handler_tx *tx, struct task *task) {
  bool backoff = task->verdict == VERDICT_FAILED && task->delay_s < 0;
  tx->task = task;
  if (task->verdict == VERDICT_COMPLETED)
    complete(tx);
  else
    end_with(tx, tx->conflict && backoff && !task->overdue ? HANDLER_TX_RESTART : HANDLER_TX_SETTLED);
}

void handler_tx_drop(struct handler_tx *tx) { end_with(tx, HANDLER_TX_SETTLED); }

void handler_tx_look(struct handler_tx *tx, uint64_t now) {
  if (!tx->task || tx->late || now < tx->task->deadline_ms) return;
  if (tx->state == TX_COMMITTING) {
    tx->late = true;
    handler_pool_cancel(&tx->borrower);
  } else if (tx->state == TX_WAITING || tx->state == TX_OPENING) {
    fail_late(tx);
  }
}
