/* What executors write for the log: LOG frames, and the lines of their standard output and error. An executor runs
 * the users' code, so nothing is taken from it for a task that it does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker/pool/pool_inside.h"
#include "worker/pool/task_log.h"

/* How much was dropped, once. */
static void report_dropped(struct log *log, struct log_budget *budget, const struct task *task) {
  char message[160];
  if (budget->dropped_lines == 0) return;
  snprintf(message, sizeof message, "%lld log lines with %lld bytes were dropped: more than %d MB at once, or %d kB/s",
           (long long)budget->dropped_lines, (long long)budget->dropped_bytes, LOG_BUDGET_BYTES >> 20,
           LOG_BUDGET_BYTES_PER_S >> 10);
  budget->dropped_lines = budget->dropped_bytes = 0;
  task_log(log, LOG_WARN, "dropped_output", task, message, NULL);
}

/* True if a line of so many bytes may be written. */
static bool has_room(struct slot *slot, struct task *task, size_t bytes) {
  struct pool *pool = slot->pool;
  struct log_budget *budget = task ? &task->log_budget : &slot->log_budget;
  bool was_closed = budget->closed;
  if (log_budget_take(budget, uv_now(pool->loop), bytes)) {
    report_dropped(pool->log, budget, task);
    return true;
  }
  if (!was_closed && budget->closed)
    task_log(pool->log, LOG_WARN, "drops_output", task,
             "too much is written to the log: lines are dropped until the rate falls", NULL);
  return false;
}

/* The task of that number if the executor has it, else NULL. */
static struct task *own_task(const struct slot *slot, uint64_t number) {
  struct task *task = flight_find(slot->pool->flight, number);
  return task && task->slot == slot ? task : NULL;
}

void pool_on_log(struct slot *slot, struct frame *frame) {
  struct cursor *payload = &frame->payload;
  struct log *log = slot->pool->log;
  struct task *task = own_task(slot, frame->task);
  size_t bytes = payload->len;
  uint8_t level = cursor_u8(payload);
  if (level > LOG_ERROR || (enum log_level)level < log->level || !has_room(slot, task, bytes)) return;
  char *message = cursor_strdup(payload);
  char *fields = cursor_strdup(payload);
  if (!payload->bad) task_log(log, (enum log_level)level, "log", task, message, fields);
  free(message);
  free(fields);
}

void pool_on_line(void *owner, bool from_stderr, const char *line) {
  struct slot *slot = owner;
  struct task *task = own_task(slot, executor_process_pulse(slot->process).task); /* that runs, or ran last */
  if (!task && slot->task_count == 1) task = slot->tasks;
  if (!has_room(slot, task, strlen(line))) return;
  task_log(slot->pool->log, LOG_INFO, from_stderr ? "stderr" : "stdout", task, line, NULL);
}

void pool_output_ended(const struct pool *pool, struct task *task) {
  report_dropped(pool->log, &task->log_budget, task);
}

void pool_executor_output_ended(struct slot *slot) {
  report_dropped(slot->pool->log, &slot->log_budget, NULL);
  slot->log_budget = (struct log_budget){0};
}
