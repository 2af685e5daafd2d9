/* The one place that adds a task's context to a log line. */
#include "worker/pool/task_log.h"

void task_log(struct log *log, enum log_level level, const char *verb, const struct task *task, const char *message,
              const char *fields) {
  if (!task) {
    LOG(log, level, verb, LOG_STR("message", message), LOG_JSON_TEXT("fields", fields));
    return;
  }
  LOG(log, level, verb, LOG_STR("flow", task->flow_slug), LOG_STR("run", task->run_id),
      LOG_STR("step", task->step_slug), LOG_INT("index", task->task_index), LOG_INT("attempt", task->attempt),
      LOG_STR("message", message), LOG_JSON_TEXT("fields", fields));
}

void task_log_failed(struct log *log, const struct task *task, const char *message, const char *retry_in_s) {
  LOG(log, LOG_WARN, "attempt_failed", LOG_STR("flow", task->flow_slug), LOG_STR("run", task->run_id),
      LOG_STR("step", task->step_slug), LOG_INT("index", task->task_index), LOG_STR("element", task->element),
      LOG_INT("attempt", task->attempt), LOG_JSON_TEXT("retry_in_s", retry_in_s),
      LOG_STR("task", retry_in_s ? NULL : "failed"), LOG_STR("message", message));
}
