/* A batch as parameters, and what became of it. */
#include "worker/work/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_text.h"
#include "worker/control/task_arrays.h"
#include "worker/pool/task_log.h"

static struct pg_params *add(struct pg_unit *unit, struct record_calls *calls, enum work_statement statement) {
  calls->index[statement] = calls->count++;
  return pg_unit_add(unit, &work_statements[statement]);
}

/* The first four parameters of all three functions. */
static void add_identity(struct pg_params *params, struct task *const *tasks, int count) {
  struct task_arrays arrays = task_arrays_begin(params);
  for (int i = 0; i < count; i++) task_arrays_add(&arrays, tasks[i]);
}

static void add_completions(struct pg_params *params, struct task *const *tasks, int count) {
  add_identity(params, tasks, count);
  struct pg_array *outputs = pg_param_array(params, PG_JSONB);
  for (int i = 0; i < count; i++) pg_array_jsonb(outputs, tasks[i]->text, tasks[i]->text_length);
}

static void add_failures(struct pg_params *params, struct task *const *tasks, int count) {
  add_identity(params, tasks, count);
  struct pg_array *messages = pg_param_array(params, PG_TEXT);
  struct pg_array *delays = pg_param_array(params, PG_FLOAT8);
  struct pg_array *permanent = pg_param_array(params, PG_BOOL);
  struct pg_array *free_of_charge = pg_param_array(params, PG_BOOL);
  for (int i = 0; i < count; i++) {
    const struct task *task = tasks[i];
    pg_array_text(messages, task->text, task->text_length);
    if (task->delay_s < 0)
      pg_array_null(delays);
    else
      pg_array_float8(delays, task->delay_s);
    pg_array_bool(permanent, task->verdict == VERDICT_PERMANENT);
    pg_array_bool(free_of_charge, task->verdict == VERDICT_SNOOZED);
  }
}

static void add_releases(struct pg_params *params, struct task *const *tasks, int count) {
  add_identity(params, tasks, count);
  struct pg_array *suspicion = pg_param_array(params, PG_INT4);
  struct pg_array *lost_transactions = pg_param_array(params, PG_BOOL);
  struct pg_array *delays = pg_param_array(params, PG_FLOAT8);
  for (int i = 0; i < count; i++) {
    pg_array_int4(suspicion, tasks[i]->added_suspicion);
    pg_array_bool(lost_transactions, tasks[i]->lost_transaction);
    pg_array_float8(delays, tasks[i]->delay_s);
  }
}

void record_add(struct pg_unit *unit, struct record_calls *calls, const struct batch *batch, const char *claiming_queue,
                bool waits) {
  int count = batch->completed + batch->failed + batch->released;
  calls->count = 0;
  for (int i = 0; i < WORK_STATEMENT_COUNT; i++) calls->index[i] = -1;
  if (count == 0) return;
  struct pg_params *params = add(unit, calls, STMT_LOCK);
  struct pg_array *runs = pg_param_array(params, PG_UUID);
  for (int i = 0; i < count; i++) pg_array_uuid(runs, batch->tasks[i]->run_id);
  pg_param_text(params, claiming_queue);
  pg_param_text(params, waits ? "t" : "f");
  struct task *const *failed = batch->tasks + batch->completed;
  if (batch->completed) add_completions(add(unit, calls, STMT_COMPLETE), batch->tasks, batch->completed);
  if (batch->failed) add_failures(add(unit, calls, STMT_FAIL), failed, batch->failed);
  if (batch->released) add_releases(add(unit, calls, STMT_RELEASE), failed + batch->failed, batch->released);
}

/* What a failed attempt is logged with, owned by the caller. A database's detail, which may quote values, is stored
 * and not logged. */
static char *shown_message(const struct task *task) {
  if (task->verdict == VERDICT_COMPLETED) return task->violation ? error_text(task->violation) : NULL;
  if (task->blamed) return error_text("the database refused its result: see database_refused_result");
  const char *text = task->shown ? task->shown : task->text;
  return text ? error_text(text) : NULL;
}

static void log_recorded(const struct task *task, const char *retry_in_s, struct log *log) {
  char *message = shown_message(task);
  switch (task->verdict) {
    case VERDICT_COMPLETED:
      if (task->violation) task_log_failed(log, task, message, NULL);
      break;
    case VERDICT_FAILED:
    case VERDICT_PERMANENT:
      task_log_failed(log, task, message, retry_in_s);
      break;
    case VERDICT_SNOOZED:
      task_log(log, LOG_INFO, "snoozed", task, message, NULL);
      break;
    case VERDICT_RELEASED:
      break;
  }
  free(message);
}

void record_log(const struct task *task, struct log *log) { log_recorded(task, NULL, log); }

void record_log_late(const struct task *task, struct log *log) {
  char *message = task->needs_current ? NULL : shown_message(task);
  task_log(log, LOG_WARN, "refused_late_result", task, message, NULL);
  free(message);
}

/* The third column of STMT_FAIL. */
static const char *retry_delay(const PGresult *result, int row) {
  return PQnfields(result) > 2 && !PQgetisnull(result, row, 2) ? PQgetvalue(result, row, 2) : NULL;
}

static void log_answers(const struct pg_unit *unit, int call, struct task *const *tasks, int count, struct log *log) {
  const PGresult *result = call < 0 ? NULL : pg_unit_result(unit, call);
  for (int row = 0; result && row < PQntuples(result); row++) {
    int ordinal = atoi(PQgetvalue(result, row, 0));
    const char *answer = PQgetvalue(result, row, 1);
    if (ordinal < 1 || ordinal > count) continue;
    const struct task *task = tasks[ordinal - 1];
    bool already = strcmp(answer, "already") == 0; /* by a transaction whose answer was lost */
    if ((already && !task->commit_unknown) || strcmp(answer, "done") == 0)
      log_recorded(task, retry_delay(result, row), log);
    if (strcmp(answer, "done") == 0) continue;
    if (already)
      task_log(log, LOG_DEBUG, "recorded_before", task, NULL, NULL);
    else if (task->verdict == VERDICT_RELEASED)
      task_log(log, LOG_DEBUG, "released_before", task, NULL, NULL);
    else
      record_log_late(task, log);
  }
}

void record_log_answers(const struct pg_unit *unit, const struct record_calls *calls, const struct batch *batch,
                        struct log *log) {
  struct task *const *failed = batch->tasks + batch->completed;
  log_answers(unit, calls->index[STMT_COMPLETE], batch->tasks, batch->completed, log);
  log_answers(unit, calls->index[STMT_FAIL], failed, batch->failed, log);
  log_answers(unit, calls->index[STMT_RELEASE], failed + batch->failed, batch->released, log);
}
