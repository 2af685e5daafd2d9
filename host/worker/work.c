/* One cycle of the work connection after the other. */
#include "worker/work.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/batcher.h"
#include "worker/complaint.h"
#include "worker/poller.h"
#include "worker/reconcile.h"
#include "worker/record.h"
#include "worker/statements.h"

enum {
  DEADLINE_MS = 15000,
  CONFLICT_MS = 10, /* the first wait after a deadlock or a serialization failure */
  ERROR_MS = 250,   /* after any other error */
  BACKOFF_STEPS = 4 /* each twice as long */
};

/* A server that takes no writes is perhaps a primary of the past: the next connection may find the new one. */
static const char READ_ONLY[] = "25006";

struct work {
  struct work_options options;
  struct work_events events;
  void *owner;
  struct log *log;
  struct pg *pg;
  struct batcher *batcher;
  struct poller *poller;
  uv_idle_t kick;     /* active while a cycle may be due */
  uv_timer_t backoff; /* runs while nothing is sent, after an error */
  int open_handles;
  int64_t generation; /* 0: no claims yet */
  uint64_t last_number;

  bool busy; /* the rest describes the transaction under way */
  struct batch batch;
  struct record_calls calls;
  uint64_t sent_at;
  int failures;       /* in a row */
  bool reconcile_due; /* a connection has been lost since claims began */
  bool claim_lost;    /* nobody knows what it has claimed */
  struct complaint complaint;
};

static const char *const session[] = {work_settings};

static void on_kick(uv_idle_t *kick);

static void kick(struct work *work) { uv_idle_start(&work->kick, on_kick); }

static bool is_class(const struct err *err, const char *class) { return strncmp(err->sqlstate, class, 2) == 0; }

/* ---- answers ---- */

static void take_claim(struct work *work, const PGresult *result) {
  struct claim claim;
  struct task *task, *next;
  claim_read(&claim, result, &work->last_number, work->sent_at, work->options.queue, work->log);
  poller_answered(work->poller, claim.task_count, claim.next_visible_ms);
  if (claim.task_count)
    LOG(work->log, LOG_DEBUG, "claimed", LOG_STR("queue", work->options.queue), LOG_INT("tasks", claim.task_count));
  DL_FOREACH_SAFE(claim.tasks, task, next) {
    task->prev = task->next = NULL;
    work->events.claimed(work->owner, task);
  }
  if (claim.status != CLAIM_OK) work->events.refused(work->owner, claim.status, claim.unknown);
  free(claim.unknown);
}

static void recovered(struct work *work) {
  work->failures = 0;
  if (complaint_end(&work->complaint)) LOG(work->log, LOG_INFO, "transactions_work_again");
}

static void committed(struct work *work, const struct pg_unit *unit) {
  record_log_answers(unit, &work->calls, &work->batch, work->log);
  batcher_done(work->batcher);
  recovered(work);
  if (work->calls.index[STMT_CLAIM] >= 0) take_claim(work, pg_unit_result(unit, work->calls.index[STMT_CLAIM]));
}

/* Once for an error that goes on and on. */
static void log_error(struct work *work, const struct err *err, const char *statement) {
  struct err found = *err;
  complaint_add_hint(&found);
  if (!complaint_is_new(&work->complaint, &found)) return;
  LOG(work->log, LOG_ERROR, "transaction_failed", LOG_STR("statement", statement), LOG_STR("sqlstate", found.sqlstate),
      LOG_STR("error", found.message), LOG_STR("hint", *found.hint ? found.hint : NULL),
      LOG_INT("unrecorded", batcher_count(work->batcher)));
}

static void on_backoff_over(uv_timer_t *timer) { kick(timer->data); }

static void back_off(struct work *work, int first_ms) {
  int step = work->failures < BACKOFF_STEPS ? work->failures : BACKOFF_STEPS;
  work->failures++;
  uv_timer_start(&work->backoff, on_backoff_over, (uint64_t)first_ms << step, 0);
}

/* SQLSTATE classes that blame a result: bad data, a violated constraint, a limit of the program. Message ids are ours. */
static bool blames_result(const struct work *work, const struct pg_unit *unit, const struct err *err) {
  const char *constraint = pg_unit_constraint(unit);
  int call = pg_unit_failed_call(unit);
  bool records = call >= 0 && (call == work->calls.index[STMT_COMPLETE] || call == work->calls.index[STMT_FAIL] ||
                               call == work->calls.index[STMT_RELEASE]);
  if (constraint && strstr(constraint, "message_id")) return false;
  return records && (is_class(err, "22") || is_class(err, "23") || is_class(err, "54"));
}

static void failed(struct work *work, const struct pg_unit *unit, const struct err *err) {
  int call = pg_unit_failed_call(unit);
  bool claim_failed = call >= 0 && call == work->calls.index[STMT_CLAIM];
  if (!*err->sqlstate) { /* the connection; the results go out again over the next one */
    work->claim_lost = work->claim_lost || work->calls.index[STMT_CLAIM] >= 0;
    batcher_retry(work->batcher);
    poller_failed(work->poller, false);
    return;
  }
  if (is_class(err, "40")) {
    LOG(work->log, LOG_INFO, "retried_transaction", LOG_STR("sqlstate", err->sqlstate));
    batcher_retry(work->batcher);
    poller_failed(work->poller, false);
    back_off(work, CONFLICT_MS);
    return;
  }
  if (blames_result(work, unit, err)) {
    LOG(work->log, LOG_WARN, "database_refused_result", LOG_STR("sqlstate", err->sqlstate),
        LOG_STR("error", err->message),
        LOG_INT("batch", work->batch.completed + work->batch.failed + work->batch.released));
    if (!batcher_refused(work->batcher, pg_unit_message(unit), pg_unit_detail(unit))) back_off(work, ERROR_MS);
    poller_failed(work->poller, false);
    return;
  }
  log_error(work, err, claim_failed ? "claim" : "record");
  batcher_retry(work->batcher);
  poller_failed(work->poller, claim_failed);
  if (!claim_failed) back_off(work, ERROR_MS);
  if (strcmp(err->sqlstate, READ_ONLY) == 0) pg_reconnect(work->pg, err);
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct work *work = owner;
  work->busy = false;
  if (err)
    failed(work, unit, err);
  else
    committed(work, unit);
  kick(work);
  work->events.answered(work->owner);
}

/* ---- the cycle ---- */

static void on_reconciled(void *owner, struct pg_unit *unit, const struct err *err) {
  struct work *work = owner;
  work->busy = false;
  if (!err) {
    reconcile_log(unit, work->log);
    work->reconcile_due = work->claim_lost = false;
    recovered(work);
  } else if (*err->sqlstate) {
    log_error(work, err, "reconcile");
    back_off(work, ERROR_MS);
    if (strcmp(err->sqlstate, READ_ONLY) == 0) pg_reconnect(work->pg, err);
  }
  kick(work);
  work->events.answered(work->owner);
}

static void reconcile(struct work *work) {
  if (!work->events.old_is_gone(work->owner)) return; /* work_reconcile comes */
  struct pg_unit *unit = pg_unit_new(on_reconciled, work);
  reconcile_add(unit, work->options.worker_id, work->events.in_flight, work->owner, work->batcher);
  work->busy = true;
  pg_submit(work->pg, unit);
}

static void on_kick(uv_idle_t *handle) {
  struct work *work = handle->data;
  uv_idle_stop(handle);
  if (work->busy || !pg_is_ready(work->pg) || uv_is_active((uv_handle_t *)&work->backoff)) return;
  if (work->reconcile_due) {
    reconcile(work);
    return;
  }
  work->batch = batcher_take(work->batcher);
  bool records = work->batch.completed + work->batch.failed + work->batch.released > 0;
  int slots = work->generation ? work->events.free_slots(work->owner) : 0;
  int quantity = poller_quantity(work->poller, slots, records);
  if (!records && quantity == 0) return;

  struct pg_unit *unit = pg_unit_new(on_done, work);
  record_add(unit, &work->calls, &work->batch, quantity ? work->options.queue : NULL);
  if (quantity > 0) {
    work->calls.index[STMT_CLAIM] = work->calls.count++;
    struct pg_params *params = pg_unit_add(unit, &work_statements[STMT_CLAIM]);
    pg_param_text(params, work->options.worker_id);
    pg_param_int(params, work->generation);
    pg_param_text(params, work->options.queue);
    pg_param_int(params, quantity);
  }
  poller_sent(work->poller, quantity);
  work->busy = true;
  work->sent_at = uv_now(handle->loop);
  pg_submit(work->pg, unit);
}

static void on_due(void *owner) { kick(owner); }

static void on_ready(void *owner) {
  struct work *work = owner;
  poller_wake(work->poller);
  kick(work);
  work->events.ready(work->owner);
}

static void on_lost(void *owner, const struct err *err, int retry_ms) {
  struct work *work = owner;
  work->reconcile_due = work->generation != 0;
  work->events.lost(work->owner, err, retry_ms);
}

struct work *work_new(uv_loop_t *loop, const struct work_options *options, const struct work_events *events,
                      void *owner, struct log *log, struct err *err) {
  static const struct pg_events pg_events = {.ready = on_ready, .lost = on_lost};
  const struct pg_options pg_options = {
      .conninfo = options->conninfo,
      .application_name = options->application_name,
      .session = session,
      .session_count = sizeof session / sizeof *session,
      .statements = work_statements,
      .statement_count = WORK_STATEMENT_COUNT,
      .deadline_ms = DEADLINE_MS,
  };
  struct work *work = xcalloc(1, sizeof *work);
  struct pg *pg = pg_new(loop, &pg_options, &pg_events, work, err);
  if (!pg) {
    free(work);
    return NULL;
  }
  *work = (struct work){.options = *options, .events = *events, .owner = owner, .log = log, .pg = pg};
  work->batcher = batcher_new(options->batch);
  work->poller = poller_new(loop, options->batch, on_due, work);
  uv_idle_init(loop, &work->kick);
  uv_timer_init(loop, &work->backoff);
  work->kick.data = work->backoff.data = work;
  work->open_handles = 2;
  return work;
}

void work_connect(struct work *work) { pg_start(work->pg); }

struct pg_backend work_last_backend(const struct work *work) {
  return pg_last_backend(work->pg);
}

bool work_is_connected(const struct work *work) { return pg_is_ready(work->pg); }

void work_start(struct work *work, int64_t generation) {
  work->generation = generation;
  poller_wake(work->poller);
}

void work_stop_claiming(struct work *work) { poller_stop(work->poller); }

void work_record(struct work *work, struct task *task) {
  batcher_add(work->batcher, task);
  kick(work);
}

void work_reconcile(struct work *work) {
  work->reconcile_due = work->generation != 0;
  kick(work);
}

void work_wake(struct work *work) { poller_wake(work->poller); }

void work_check(struct work *work) { kick(work); }

int work_unrecorded(const struct work *work) { return batcher_count(work->batcher); }

bool work_is_idle(const struct work *work) {
  return !work->busy && !work->claim_lost && batcher_count(work->batcher) == 0;
}

static void on_handle_closed(uv_handle_t *handle) {
  struct work *work = handle->data;
  if (--work->open_handles > 0) return;
  free(work);
}

void work_close(struct work *work) {
  if (!work) return;
  pg_close(work->pg);
  batcher_free(work->batcher);
  poller_free(work->poller);
  uv_close((uv_handle_t *)&work->kick, on_handle_closed);
  uv_close((uv_handle_t *)&work->backoff, on_handle_closed);
}
