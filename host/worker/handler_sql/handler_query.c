/* Granted, answered, replied. */
#include "worker/handler_sql/handler_query.h"

#include <stdlib.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/handler_sql/handler_reply.h"

struct handler_query {
  struct handler_pool *pool;
  struct handler_borrower borrower;
  struct handler_statement statement;
  struct handler_reply reply;
  handler_query_done done;
  void *owner;
};

void handler_query_free(struct handler_query *query) {
  handler_statement_free(&query->statement);
  handler_reply_free(&query->reply);
  free(query);
}

void handler_query_explain(const struct handler_query *query, struct task *task) {
  struct handler_wait wait;
  if (handler_pool_explain(query->pool, &query->borrower, &wait))
    task_settle_message(task, VERDICT_FAILED, "timed out after %d s: %s", task->timeout_s, wait.text);
}

void handler_query_end(struct handler_query *query) {
  handler_pool_give_back(query->pool, &query->borrower, false);
  handler_query_free(query);
}

/* Gives the connection back first, so that the receiver of the answer finds it free. */
static void finish(struct handler_query *query, struct buf *payload) {
  handler_pool_give_back(query->pool, &query->borrower, false);
  query->done(query->owner, query, payload);
  buf_free(payload);
  handler_query_free(query);
}

static void on_granted(void *owner) {
  struct handler_query *query = owner;
  struct pg_unit *unit = handler_pool_unit(&query->borrower);
  handler_statement_add(&query->statement, unit);
  handler_pool_stream(unit, query->reply.limit);
  handler_pool_submit(&query->borrower, unit);
}

static void on_row(void *owner, const PGresult *row) {
  struct handler_query *query = owner;
  if (!handler_reply_row(&query->reply, row)) handler_pool_cancel(&query->borrower);
}

static void on_answered(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_query *query = owner;
  struct buf payload = {0};
  PGTransactionStatusType status = handler_pool_status(&query->borrower);
  if (handler_reply_is_too_large(&query->reply))
    handler_reply_put_too_large(&payload);
  else if (err)
    handler_reply_put_failure(unit, err, handler_pool_role(&query->borrower), &payload);
  else if (status == PQTRANS_INTRANS || status == PQTRANS_INERROR)
    handler_reply_put_error(SQLSTATE_IN_TRANSACTION, "ctx:query runs outside any transaction and cannot begin one",
                            "use ctx.tx:query in a step with transaction = true", &payload);
  else
    handler_reply_put_rows(&query->reply, pg_unit_result(unit, 0), &payload);
  finish(query, &payload);
}

static void fail(void *owner, const struct err *err) {
  struct buf payload = {0};
  handler_reply_put_error(*err->sqlstate ? err->sqlstate : SQLSTATE_CONNECTION_LOST, err->message, err->hint, &payload);
  finish(owner, &payload);
}

struct handler_query *handler_query_start(struct handler_pool *pool, struct handler_statement *statement, int64_t limit,
                                          handler_query_done done, void *owner) {
  static const struct handler_borrower_events events = {
      .granted = on_granted, .refused = fail, .answered = on_answered, .row = on_row, .lost = fail};
  struct handler_query *query = xcalloc(1, sizeof *query);
  *query = (struct handler_query){.pool = pool,
                                  .borrower = {.events = &events, .owner = query},
                                  .statement = *statement,
                                  .reply = {.limit = limit},
                                  .done = done,
                                  .owner = owner};
  *statement = (struct handler_statement){0};
  handler_pool_borrow(pool, &query->borrower);
  return query;
}
