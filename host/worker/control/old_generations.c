/* The timer, what was reported last, and the statement. */
#include "worker/control/old_generations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"

enum {
  LOOK_MS = 1000,
  REPORTED_MAX = 100, /* generations, the oldest; more are not reported */
  MEMORY_STEP = 8     /* a change of memory is one from an eighth on */
};

struct report {
  struct pool_old rows[REPORTED_MAX];
  int count;
  int64_t memory; /* of all, those included that have no row */
};

struct old_generations {
  uv_timer_t timer;
  struct old_options options;
  struct log *log;
  struct report known; /* to the database */
  struct report sent;  /* until the answer */
  bool waiting;        /* for it */
  bool large;          /* more memory than one generation may use: logged */
  bool stopped, closed;
};

static void free_when_done(struct old_generations *old) {
  if (old->stopped && old->closed && !old->waiting) free(old);
}

static bool is_same_row(const struct pool_old *a, const struct pool_old *b) {
  int64_t change = a->memory > b->memory ? a->memory - b->memory : b->memory - a->memory;
  return a->number == b->number && a->executors == b->executors && a->tasks == b->tasks && a->since_ms == b->since_ms &&
         a->deadline_ms == b->deadline_ms && change <= b->memory / MEMORY_STEP;
}

static bool is_same(const struct report *a, const struct report *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; i++)
    if (!is_same_row(&a->rows[i], &b->rows[i])) return false;
  return true;
}

static void add_row(void *owner, const struct pool_old *row) {
  struct report *report = owner;
  report->memory += row->memory;
  if (report->count < REPORTED_MAX) report->rows[report->count++] = *row;
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct old_generations *old = owner;
  (void)unit;
  old->waiting = false;
  if (old->stopped)
    free_when_done(old);
  else if (!err)
    old->known = old->sent;
}

static void put_rows(const struct old_generations *old, struct pg_params *params) {
  double now = (double)uv_now(old->timer.loop);
  struct pg_array *numbers = pg_param_array(params, PG_INT8), *executors = pg_param_array(params, PG_INT4);
  struct pg_array *tasks = pg_param_array(params, PG_INT4), *ages = pg_param_array(params, PG_FLOAT8);
  struct pg_array *remaining = pg_param_array(params, PG_FLOAT8), *memory = pg_param_array(params, PG_INT8);
  for (int i = 0; i < old->sent.count; i++) {
    const struct pool_old *row = &old->sent.rows[i];
    pg_array_int8(numbers, row->number);
    pg_array_int4(executors, row->executors);
    pg_array_int4(tasks, row->tasks);
    pg_array_float8(ages, (now - (double)row->since_ms) / 1000);
    pg_array_float8(remaining, ((double)row->deadline_ms - now) / 1000);
    pg_array_int8(memory, row->memory);
  }
}

static void submit(struct old_generations *old, const struct report *report) {
  struct pg_unit *unit = pg_unit_new(on_done, old);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_REPORT_OLD_GENERATIONS]);
  old->sent = *report;
  pg_param_text(params, old->options.worker_id);
  put_rows(old, params);
  old->waiting = true;
  pg_submit(old->options.pg, unit);
}

static void judge_memory(struct old_generations *old, int64_t memory) {
  static const double mb = 1024 * 1024;
  char text[160];
  bool large = memory > old->options.memory;
  if (large == old->large) return;
  old->large = large;
  snprintf(text, sizeof text,
           "executors of old generations use more memory than the current ones may (%.4g MB: --executors times "
           "--executor-memory)",
           (double)old->options.memory / mb);
  troubles_set(old->options.troubles, TROUBLE_MEMORY, 0, large ? text : NULL);
  if (large) LOG(old->log, LOG_WARN, "old_executors_full", LOG_F64("mb", (double)memory / mb), LOG_STR("reason", text));
}

static void look(struct old_generations *old) {
  struct report report;
  report.count = 0;
  report.memory = 0;
  pool_each_old(old->options.pool, add_row, &report);
  judge_memory(old, report.memory);
  bool known = is_same(&report, &old->known);
  if (!known && !old->waiting && pg_is_ready(old->options.pg)) submit(old, &report);
  if (known && report.count == 0 && pool_old_count(old->options.pool) == 0) uv_timer_stop(&old->timer);
}

static void on_timer(uv_timer_t *timer) { look(timer->data); }

void old_generations_look(struct old_generations *old) {
  look(old);
  uv_timer_start(&old->timer, on_timer, LOOK_MS, LOOK_MS);
}

struct old_generations *old_generations_new(uv_loop_t *loop, const struct old_options *options, struct log *log) {
  struct old_generations *old = xcalloc(1, sizeof *old);
  old->options = *options;
  old->log = log;
  uv_timer_init(loop, &old->timer);
  old->timer.data = old;
  return old;
}

static void on_closed(uv_handle_t *handle) {
  struct old_generations *old = handle->data;
  old->closed = true;
  free_when_done(old);
}

void old_generations_stop(struct old_generations *old) {
  if (!old) return;
  old->stopped = true;
  uv_close((uv_handle_t *)&old->timer, on_closed);
}
