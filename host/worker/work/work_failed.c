/* A transaction has failed: finds the cause, logs it and decides when the next one is sent. */
#include <string.h>

#include "base/sqlstate.h"
#include "worker/work/fault.h"
#include "worker/work/work_inside.h"

enum {
  CONFLICT_MS = 10, /* the first wait after a deadlock or a serialization failure */
  ERROR_MS = 250,   /* after any other error */
  READ_ONLY_MS = 1000,
  BACKOFF_STEPS = 4, /* each twice as long */
  AGAIN_MS = 2000    /* until results that were set aside are tried again */
};

/* Once for an error that repeats. */
static void log_error(struct work *work, struct complaint *complaint, const struct err *err, const char *statement) {
  struct err found = *err;
  complaint_add_hint(&found);
  if (!complaint_is_new(complaint, &found)) return;
  LOG(work->log, LOG_ERROR, "transaction_failed", LOG_STR("statement", statement), LOG_ERR(&found),
      LOG_INT("unrecorded", batcher_count(work->batcher)));
}

void work_recovered(struct work *work, struct complaint *complaint, const char *statement) {
  if (complaint_end(complaint)) LOG(work->log, LOG_INFO, "transactions_work_again", LOG_STR("statement", statement));
}

static void on_backoff_over(uv_timer_t *timer) { work_kick(timer->data); }

static void back_off(struct work *work, int first_ms) {
  int step = work->failures < BACKOFF_STEPS ? work->failures : BACKOFF_STEPS;
  work->failures++;
  uv_timer_start(&work->backoff, on_backoff_over, (uint64_t)first_ms << step, 0);
}

/* The connection may lead to a previous primary: the next one may find the new one, and is tried soon. */
static void leave_read_only(struct work *work, const struct err *err) {
  if (!sqlstate_is_read_only(err->sqlstate)) return;
  uv_timer_start(&work->backoff, on_backoff_over, READ_ONLY_MS, 0);
  pg_reconnect(work->pg, err);
}

void work_not_reconciled(struct work *work, const struct pg_unit *unit, const struct err *err) {
  if (*err->sqlstate || pg_unit_is_overdue(unit))
    troubles_set(work->options.troubles, TROUBLE_RECONCILE, 0, err->message);
  if (!*err->sqlstate) return; /* the connection reports it */
  log_error(work, &work->reconcile_complaint, err, "reconcile");
  back_off(work, ERROR_MS);
  leave_read_only(work, err);
}

static void report_unrecorded(struct work *work, const struct err *err) {
  troubles_set(work->options.troubles, TROUBLE_UNRECORDED, batcher_count(work->batcher), err->message);
}

/* For a reason that is no fault of the results: they are kept. */
static void not_recorded(struct work *work, const struct err *err) {
  log_error(work, &work->record_complaint, err, "record");
  report_unrecorded(work, err);
}

static void on_again(uv_timer_t *timer) {
  struct work *work = timer->data;
  batcher_try_aside(work->batcher);
  work_kick(work);
}

/* The results go out again over the next connection; where the transaction was cut because it took too long, without
 * the claim, and in smaller batches where they were without it already. */
static void connection_lost(struct work *work, const struct pg_unit *unit, const struct err *err) {
  bool claims = work->calls.index[STMT_CLAIM] >= 0, overdue = pg_unit_is_overdue(unit);
  bool records = work->calls.index[STMT_LOCK] >= 0;
  if (overdue && !records) troubles_set(work->options.troubles, TROUBLE_CLAIM, 0, err->message);
  if (overdue && records) report_unrecorded(work, err);
  work->claim_lost = work->claim_lost || claims;
  work->apart = work->apart || overdue;
  if (overdue && claims) work->single_claims = WORK_SINGLE_CLAIMS;
  if (overdue && !claims)
    batcher_slow(work->batcher);
  else
    batcher_retry(work->batcher);
}

void work_failed(struct work *work, const struct pg_unit *unit, const struct err *err) {
  enum fault fault = fault_of(unit, &work->calls, err);
  poller_failed(work->poller, fault == FAULT_CLAIM);
  switch (fault) {
    case FAULT_CONNECTION:
      connection_lost(work, unit, err);
      return;
    case FAULT_CONFLICT:
      LOG(work->log, LOG_INFO, "retried_transaction", LOG_STR("sqlstate", err->sqlstate));
      batcher_retry(work->batcher);
      if (work->failures > BACKOFF_STEPS && work_unrecorded(work) > 0) not_recorded(work, err);
      back_off(work, CONFLICT_MS);
      return;
    case FAULT_RESULT:
      LOG(work->log, LOG_WARN, "database_refused_result", LOG_STR("sqlstate", err->sqlstate),
          LOG_STR("error", err->message),
          LOG_INT("batch", work->batch.completed + work->batch.failed + work->batch.released));
      if (!batcher_refused(work->batcher, pg_unit_message(unit), pg_unit_detail(unit))) {
        not_recorded(work, err);
        back_off(work, ERROR_MS);
      }
      return;
    case FAULT_MISSING:
      not_recorded(work, err);
      batcher_stuck(work->batcher);
      if (!uv_is_active((uv_handle_t *)&work->again)) uv_timer_start(&work->again, on_again, AGAIN_MS, 0);
      return;
    case FAULT_CLAIM:
      log_error(work, &work->claim_complaint, err, "claim");
      troubles_set(work->options.troubles, TROUBLE_CLAIM, 0, err->message);
      batcher_retry(work->batcher);
      leave_read_only(work, err);
      return;
    case FAULT_SERVER:
      batcher_retry(work->batcher);
      not_recorded(work, err);
      back_off(work, ERROR_MS);
      leave_read_only(work, err);
      return;
  }
}
