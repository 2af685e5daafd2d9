/* Making, sending and settling tasks. */
#include "worker/pool/task.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

enum { ELEMENT_MAX = 80 /* bytes of an element in a log line */ };

bool task_is_suspect(const struct task *task) { return task->suspicion >= TASK_SUSPECT_FROM; }

void task_keep_element(struct task *task) {
  struct buf shown = {0};
  utf8_clean(&shown, task->input, strlen(task->input), ELEMENT_MAX);
  buf_put_u8(&shown, 0);
  free(task->element);
  task->element = shown.data;
}

void task_free(struct task *task) {
  free(task->flow_slug);
  free(task->step_slug);
  free(task->secret);
  free(task->input);
  free(task->element);
  free(task->flow_input);
  free(task->text);
  free(task->violation);
  free(task->shown);
  free(task);
}

void task_put_frame(const struct task *task, const char *queue, const char *worker_id, double deadline,
                    struct buf *out) {
  buf_put_str(out, task->flow_slug);
  buf_put_str(out, task->step_slug);
  buf_put_str(out, task->run_id);
  buf_put_i64(out, task->task_index);
  buf_put_i64(out, task->attempt);
  buf_put_i64(out, task->max_attempts);
  buf_put_str(out, queue);
  buf_put_str(out, worker_id);
  buf_put_f64(out, deadline);
  buf_put_str(out, task->input);
  buf_put_u8(out, task->is_root);
  buf_put_str(out, task->flow_input);
}

void task_unsettle(struct task *task) {
  free(task->text);
  free(task->violation);
  free(task->shown);
  task->text = task->violation = task->shown = NULL;
  task->text_length = 0;
  task->needs_current = false;
}

void task_settle(struct task *task, enum verdict verdict, const char *text, size_t length, double delay_s) {
  free(task->text);
  free(task->shown);
  task->shown = NULL;
  task->verdict = verdict;
  task->delay_s = delay_s;
  task->text = NULL;
  task->text_length = 0;
  task->needs_current = false;
  if (!text) return;
  if (verdict == VERDICT_COMPLETED) {
    task->text = xmemdup(text, length);
    task->text_length = length;
    return;
  }
  struct buf clean = {0};
  utf8_clean(&clean, text, length, TASK_MESSAGE_MAX);
  task->text_length = clean.len;
  task->text = xmemdup(clean.data, clean.len);
  buf_free(&clean);
}

void task_add_detail(struct task *task, const char *detail, size_t length) {
  char *shown = task->text;
  char *text = xasprintf("%s: %.*s", shown, (int)length, detail);
  task->text = NULL;
  task_settle(task, task->verdict, text, strlen(text), task->delay_s);
  task->shown = shown;
  free(text);
}

void task_settle_message(struct task *task, enum verdict verdict, const char *format, ...) {
  char message[TASK_MESSAGE_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  task_settle(task, verdict, message, strlen(message), -1);
}
