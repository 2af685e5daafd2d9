/* Rows of claim_tasks into tasks. */
#include "worker/claim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"

/* The columns of the CLAIM statement. */
enum {
  KIND,
  STATUS,
  NEXT_VISIBLE_MS,
  FLOW_SLUG,
  RUN_ID,
  STEP_SLUG,
  TASK_INDEX,
  MSG_ID,
  CLAIM_NO,
  ATTEMPT,
  MAX_ATTEMPTS,
  TIMEOUT_S,
  INPUT,
  FLOW_INPUT,
  SUSPICION,
  LOST_TRANSACTIONS
};

static const char *const status_names[] = {
    [CLAIM_OK] = "ok",
    [CLAIM_STALE_GENERATION] = "stale_generation",
    [CLAIM_NOT_SUBSCRIBED] = "not_subscribed",
    [CLAIM_UNKNOWN_PAIRS] = "unknown_pairs",
};

static int64_t number(const PGresult *result, int row, int column) {
  return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

static char *copy(const PGresult *result, int row, int column) {
  if (PQgetisnull(result, row, column)) return NULL;
  return xmemdup(PQgetvalue(result, row, column), (size_t)PQgetlength(result, row, column));
}

static struct task *read_task(const PGresult *result, int row, uint64_t task_number, uint64_t sent_at) {
  struct task *task = xcalloc(1, sizeof *task);
  task->number = task_number;
  strncpy(task->run_id, PQgetvalue(result, row, RUN_ID), RUN_ID_LENGTH);
  task->flow_slug = copy(result, row, FLOW_SLUG);
  task->step_slug = copy(result, row, STEP_SLUG);
  task->task_index = (int32_t)number(result, row, TASK_INDEX);
  task->claim_no = number(result, row, CLAIM_NO);
  task->attempt = (int)number(result, row, ATTEMPT);
  task->max_attempts = (int)number(result, row, MAX_ATTEMPTS);
  task->timeout_s = (int)number(result, row, TIMEOUT_S);
  task->deadline_ms = sent_at + (uint64_t)task->timeout_s * 1000;
  task->input = copy(result, row, INPUT);
  task->flow_input = copy(result, row, FLOW_INPUT);
  task->suspicion = (int)number(result, row, SUSPICION);
  task->lost_transactions = (int)number(result, row, LOST_TRANSACTIONS);
  return task;
}

static void read_answer(struct claim *claim, const PGresult *result, int row) {
  const char *status = PQgetvalue(result, row, STATUS);
  for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
    if (strcmp(status, status_names[i]) == 0) claim->status = (enum claim_status)i;
  if (!PQgetisnull(result, row, NEXT_VISIBLE_MS)) claim->next_visible_ms = number(result, row, NEXT_VISIBLE_MS);
}

void claim_read(struct claim *claim, const PGresult *result, uint64_t *next_number, uint64_t sent_at, const char *queue,
                struct log *log) {
  struct buf unknown = {0};
  *claim = (struct claim){.status = CLAIM_BROKEN, .next_visible_ms = -1};
  for (int row = 0; row < PQntuples(result); row++) {
    const char *kind = PQgetvalue(result, row, KIND);
    if (strcmp(kind, "task") == 0) {
      struct task *task = read_task(result, row, ++*next_number, sent_at);
      DL_APPEND(claim->tasks, task);
      claim->task_count++;
    } else if (strcmp(kind, "answer") == 0) {
      read_answer(claim, result, row);
    } else if (strcmp(kind, "unknown") == 0) {
      buf_printf(&unknown, "%s%s.%s", unknown.len ? ", " : "", PQgetvalue(result, row, FLOW_SLUG),
                 PQgetvalue(result, row, STEP_SLUG));
    } else if (strcmp(kind, "orphan") == 0) {
      LOG(log, LOG_WARN, "archived_orphan", LOG_STR("queue", queue), LOG_INT("message", number(result, row, MSG_ID)));
    }
  }
  if (claim->status == CLAIM_UNKNOWN_PAIRS) claim->unknown = xmemdup(unknown.data, unknown.len);
  buf_free(&unknown);
}
