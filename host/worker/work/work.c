/* One cycle of the work connection after the other. */
#include "worker/work/work.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"
#include "worker/work/reconcile.h"
#include "worker/work/work_inside.h"

enum {
  DEADLINE_MS = 15000,
  QUICK_MS = 2000 /* a transaction that takes longer is slow */
};

void work_kick(struct work *work) { work->events.kick(work->owner); }

/* ---- answers ---- */

/* The claim took longer than the task may. If it was alone, and the server needed that long, it is charged, since no
 * claim would ever be faster; else it may be innocent: it is put back, and the next claims are for one task each. */
static void came_too_late(struct work *work, struct task *task, bool is_slow) {
  if (is_slow)
    task_settle_message(task, VERDICT_FAILED, "timed out after %d s: sending its input took longer than that",
                        task->timeout_s);
  else
    task_settle(task, VERDICT_RELEASED, NULL, 0, 0);
  work->single_claims = WORK_SINGLE_CLAIMS;
  batcher_add(work->batcher, task);
}

static void take_claim(struct work *work, const PGresult *result) {
  struct claim claim;
  struct task *task, *next;
  claim_read(&claim, result, &work->last_number, work->sent_at, work->options.queue, work->log);
  poller_answered(work->poller, PQntuples(result) <= 1, claim.more, claim.next_visible_ms);
  if (claim.task_count)
    LOG(work->log, LOG_DEBUG, "claimed", LOG_STR("queue", work->options.queue), LOG_INT("tasks", claim.task_count));
  DL_FOREACH_SAFE(claim.tasks, task, next) {
    task->prev = task->next = NULL;
    if (task->deadline_ms > uv_now(work->loop))
      work->events.claimed(work->owner, task);
    else
      came_too_late(work, task, claim.task_count == 1 && claim.server_s >= task->timeout_s);
  }
  if (claim.status != CLAIM_OK) work->events.refused(work->owner, claim.status, claim.unknown);
  free(claim.unknown);
}

static void committed(struct work *work, const struct pg_unit *unit) {
  bool quickly = uv_now(work->loop) - work->sent_at < QUICK_MS;
  bool recorded = work->calls.index[STMT_LOCK] >= 0, claimed = work->calls.index[STMT_CLAIM] >= 0;
  record_log_answers(unit, &work->calls, &work->batch, work->log);
  batcher_done(work->batcher, quickly);
  if (recorded) work->failures = 0;
  if (recorded && !batcher_is_troubled(work->batcher)) {
    work_recovered(work, &work->record_complaint, "record");
    troubles_set(work->options.troubles, TROUBLE_UNRECORDED, 0, NULL);
  }
  if (!claimed) return;
  work_recovered(work, &work->claim_complaint, "claim");
  troubles_set(work->options.troubles, TROUBLE_CLAIM, 0, NULL);
  if (quickly) work->apart = false;
  if (quickly && work->single_claims > 0) work->single_claims--;
  take_claim(work, pg_unit_result(unit, work->calls.index[STMT_CLAIM]));
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct work *work = owner;
  work->busy = work->claiming = false;
  if (err)
    work_failed(work, unit, err);
  else
    committed(work, unit);
  work_kick(work);
}

/* ---- the cycle ---- */

static void on_reconciled(void *owner, struct pg_unit *unit, const struct err *err) {
  struct work *work = owner;
  work->busy = false;
  if (!err) {
    reconcile_log(unit, work->log);
    work->reconcile_due = work->claim_lost = false;
    work_recovered(work, &work->reconcile_complaint, "reconcile");
    troubles_set(work->options.troubles, TROUBLE_RECONCILE, 0, NULL);
  } else {
    work_not_reconciled(work, unit, err);
  }
  work_kick(work);
}

static void reconcile(struct work *work) {
  if (!work->events.old_is_gone(work->owner)) return; /* work_reconcile comes */
  struct pg_unit *unit = pg_unit_new(on_reconciled, work);
  reconcile_add(unit, work->options.worker_id, work->events.in_flight, work->owner, work->batcher);
  work->busy = true;
  pg_submit(work->pg, unit);
}

void work_go_on(struct work *work) {
  if (work->busy || !pg_is_ready(work->pg) || uv_is_active((uv_handle_t *)&work->backoff)) return;
  if (work->reconcile_due) {
    reconcile(work);
    return;
  }
  work->batch = batcher_take(work->batcher);
  bool records = work->batch.completed + work->batch.failed + work->batch.released > 0;
  bool claims = work->generation && !work->held && !(records && work->apart) &&
                batcher_aside(work->batcher) < work->options.batch;
  int quantity = poller_quantity(work->poller, claims ? work->events.free_slots(work->owner) : 0, records);
  if (!records && quantity == 0) return;
  if (work->single_claims > 0 && quantity > 1)
    quantity = 1; /* the task whose input is slow is found, and delays no other */

  struct pg_unit *unit = pg_unit_new(on_done, work);
  record_add(unit, &work->calls, &work->batch, quantity ? work->options.queue : NULL,
             !batcher_is_troubled(work->batcher));
  if (quantity > 0) {
    work->calls.index[STMT_CLAIM] = work->calls.count++;
    struct pg_params *params = pg_unit_add(unit, &work_statements[STMT_CLAIM]);
    pg_param_text(params, work->options.worker_id);
    pg_param_int(params, work->generation);
    pg_param_text(params, work->options.queue);
    pg_param_int(params, quantity);
    pg_param_int(params, work->options.max_input);
  }
  poller_sent(work->poller, quantity, records);
  work->busy = true;
  work->claiming = quantity > 0;
  work->sent_at = uv_now(work->loop);
  pg_submit(work->pg, unit);
}

static void on_due(void *owner) { work_kick(owner); }

static void on_ready(void *owner) {
  struct work *work = owner;
  poller_wake(work->poller);
  work_kick(work);
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
      .source = options->source,
      .application_name = options->application_name,
      .session = work_settings,
      .session_count = SETTINGS_COUNT,
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
  *work = (struct work){.loop = loop, .options = *options, .events = *events, .owner = owner, .log = log, .pg = pg};
  work->batcher = batcher_new(options->batch);
  work->poller = poller_new(loop, options->batch, on_due, work);
  uv_timer_init(loop, &work->backoff);
  uv_timer_init(loop, &work->again);
  work->backoff.data = work->again.data = work;
  work->open_handles = 2;
  return work;
}

void work_connect(struct work *work) { pg_start(work->pg); }

struct pg_backend work_last_backend(const struct work *work) {
  return pg_last_backend(work->pg);
}

const char *work_role(const struct work *work) { return pg_role(work->pg); }

bool work_is_connected(const struct work *work) { return pg_is_ready(work->pg); }

void work_start(struct work *work, int64_t generation) {
  work->generation = generation;
  work->held = false;
  poller_wake(work->poller);
}

void work_hold(struct work *work) { work->held = true; }

bool work_is_claiming(const struct work *work) { return work->claiming; }

void work_pause_claims(struct work *work) { poller_failed(work->poller, true); }

void work_stop_claiming(struct work *work) { poller_stop(work->poller); }

void work_record(struct work *work, struct task *task) {
  batcher_add(work->batcher, task);
  work_kick(work);
}

void work_reconcile(struct work *work) {
  work->reconcile_due = work->generation != 0;
  work_kick(work);
}

void work_wake(struct work *work) { poller_wake(work->poller); }

void work_notify(struct work *work) { poller_notify(work->poller); }

void work_each_task(const struct work *work, void (*visit)(void *visitor, const struct task *task), void *visitor) {
  work->events.in_flight(work->owner, visit, visitor);
  batcher_each(work->batcher, visit, visitor);
}

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
  uv_close((uv_handle_t *)&work->backoff, on_handle_closed);
  uv_close((uv_handle_t *)&work->again, on_handle_closed);
}
