/* How a transaction ends: committed, rolled back, or not known to be either. */
#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "worker/control/statements.h"
#include "worker/handler_sql/handler_tx_inside.h"
#include "worker/pool/task_log.h"

static const struct state states[] = {TX_STATES(STATE_ROW)};

void handler_tx_set_state(struct handler_tx *tx, enum tx_state state) {
  STATE_CHECK(states, tx->state, state);
  tx->state = state;
}

void handler_tx_note_failure(struct handler_tx *tx, const struct err *err) {
  if (tx->failure.kind == ERR_NONE) tx->failure = *err;
  tx->conflict = tx->conflict || sqlstate_is_conflict(err->sqlstate);
  tx->shortage = tx->shortage || sqlstate_is_shortage(err->sqlstate);
}

void handler_tx_free(struct handler_tx *tx) {
  for (int i = 0; i < 4; i++) free(tx->identity[i]);
  free(tx->secret);
  free(tx->token);
  handler_statement_free(&tx->statement);
  handler_reply_free(&tx->reply);
  if (tx->task) task_free(tx->task);
  free(tx);
}

void handler_tx_cleared(void *owner) {
  struct handler_tx *tx = owner;
  struct task *task = tx->task;
  tx->task = NULL;
  tx->events.ended(tx->owner, tx, tx->end, task);
  handler_tx_free(tx);
}

void handler_tx_end_with(struct handler_tx *tx, enum handler_tx_end end) {
  bool lost = tx->state == TX_LOST;
  tx->end = end;
  handler_tx_set_state(tx, TX_ENDING);
  if (lost)
    handler_pool_await_gone(tx->pool, &tx->borrower);
  else
    handler_pool_give_back(tx->pool, &tx->borrower, true);
}

/* Whatever broke the connection may not do so the next time: the handler runs again at no cost, a few times in a
 * task's life. */
static bool is_forgiven(const struct task *task) {
  enum { FREE_LOSSES = 2 };
  return task->lost_transactions < FREE_LOSSES;
}

/* What the server lacks it may have again soon: a full disk is cleared. The task waits longer each time, some three
 * minutes in all; what fills the disk may be the task itself. */
static bool is_postponed(const struct task *task, double *delay_s) {
  enum { FREE_SHORTAGES = 9, LONGEST_S = 32 };
  int count = task->lost_transactions;
  *delay_s = count < 5 ? 1 << count : LONGEST_S;
  return count < FREE_SHORTAGES;
}

static void forgive(struct task *task, double delay_s) {
  task_settle(task, VERDICT_RELEASED, NULL, 0, delay_s);
  task->lost_transaction = true;
}

enum handler_tx_end handler_tx_failed_end(struct handler_tx *tx) {
  struct task *task = tx->task;
  if (tx->conflict) return HANDLER_TX_RESTART;
  double delay_s = 0;
  if (tx->shortage ? is_postponed(task, &delay_s) : tx->is_lost && is_forgiven(task)) {
    task_log(tx->log, LOG_INFO, "restarted_handler", task, task->shown ? task->shown : task->text, NULL);
    forgive(task, delay_s);
  }
  return HANDLER_TX_SETTLED;
}

/* The handler has completed, its transaction has not: the attempt fails. */
static void fail(struct handler_tx *tx, const char *what, const char *message, const char *detail) {
  task_settle_message(tx->task, VERDICT_FAILED, "%s%s", what, message);
  if (detail) task_add_detail(tx->task, detail, strlen(detail));
  handler_tx_end_with(tx, handler_tx_failed_end(tx));
}

void handler_tx_fail_broken(struct handler_tx *tx) {
  fail(tx, "the transaction was rolled back: ", err_plain(tx->failure.message), NULL);
}

/* Before it had a connection nothing was done in it: where the database gave out none, that is not the task's fault. */
void handler_tx_fail_late(struct handler_tx *tx) {
  struct handler_wait wait = {0};
  bool waits = handler_pool_explain(tx->pool, &tx->borrower, &wait);
  task_settle_message(tx->task, VERDICT_FAILED, "timed out after %d s%s%s", tx->task->timeout_s, waits ? ": " : "",
                      wait.text);
  tx->shortage = wait.is_outage;
  handler_tx_end_with(tx, wait.is_outage ? handler_tx_failed_end(tx) : HANDLER_TX_SETTLED);
}

void handler_tx_fail_early(struct handler_tx *tx) {
  task_settle_message(tx->task, VERDICT_FAILED, "the handler ended before its statement was answered");
  handler_tx_end_with(tx, HANDLER_TX_SETTLED);
}

/* The claim was not current inside of the transaction. Whether it is after the rollback is decided as this is
 * recorded: it is where the handler itself had ended it, else the failure is refused as late. */
static void fail_ended_inside(struct handler_tx *tx) {
  task_settle_message(
      tx->task, VERDICT_PERMANENT,
      "the transaction of the step ended its own run or task, so it could not complete it, and was rolled back: "
      "to end the run, raise luaflow.fail, or call pgflow.cancel_run through ctx:query, outside of the transaction");
  tx->task->needs_current = true;
  handler_tx_end_with(tx, HANDLER_TX_SETTLED);
}

/* ---- commit ---- */

void handler_tx_commit(struct handler_tx *tx) {
  const char *values[] = {tx->token,       tx->identity[0], tx->identity[1],
                          tx->identity[2], tx->identity[3], tx->task->text};
  struct pg_unit *unit = handler_pool_unit(&tx->borrower);
  handler_tx_set_state(tx, TX_COMMITTING);
  for (int i = 0; tx->has_run && i < HANDLER_RESTORE_COUNT; i++) pg_unit_add_sql(unit, handler_restore[i]);
  pg_unit_add_query(unit, handler_complete_sql, 6, values);
  pg_unit_add_sql(unit, "commit");
  pg_unit_limit(unit, tx->limit); /* deferred triggers run now */
  handler_pool_submit(&tx->borrower, unit);
}

/* Nothing can make it writable again. */
static void fail_read_only(struct handler_tx *tx) {
  task_settle_message(tx->task, VERDICT_PERMANENT,
                      "the handler of step %s made its transaction read-only, so the task could not be completed "
                      "inside it: remove `set transaction read only` from its statements",
                      tx->task->step_slug);
  handler_tx_end_with(tx, HANDLER_TX_SETTLED);
}

void handler_tx_commit_failed(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err) {
  const char *message = pg_unit_message(unit);
  const char *detail = pg_unit_detail(unit);
  bool completing = pg_unit_failed_call(unit) <= (tx->has_run ? HANDLER_RESTORE_COUNT : 0);
  if (tx->late) {
    handler_tx_fail_late(tx);
  } else if (completing && sqlstate_is_stale_claim(err->sqlstate)) {
    fail_ended_inside(tx);
  } else if (completing && sqlstate_is_read_only(err->sqlstate)) {
    fail_read_only(tx);
  } else if (completing && sqlstate_ends_run(err->sqlstate)) {
    handler_tx_end_with(tx, HANDLER_TX_SETTLED); /* its output ends the run: that is recorded the ordinary way */
  } else {
    handler_tx_note_failure(tx, err);
    fail(tx,
         completing ? "the task could not be completed inside its transaction: " : "the transaction did not commit: ",
         message ? message : err_plain(err->message), detail);
  }
}

void handler_tx_commit_unanswered(struct handler_tx *tx, const struct err *err) {
  handler_tx_set_state(tx, TX_UNKNOWN);
  LOG(tx->log, LOG_INFO, "commit_unanswered", LOG_STR("run", tx->identity[0]), LOG_STR("step", tx->identity[1]));
  /* Which the database answers with `already` if it has committed. */
  task_settle_message(tx->task, VERDICT_FAILED, "the connection was lost during the commit: %s",
                      err_plain(err->message));
  tx->task->commit_unknown = true;
  if (is_forgiven(tx->task)) forgive(tx->task, 0);
  tx->end = HANDLER_TX_SETTLED;
  handler_pool_await_gone(tx->pool, &tx->borrower);
}
