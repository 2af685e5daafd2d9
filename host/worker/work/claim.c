/* Rows of claim_tasks into tasks. */
#include "worker/work/claim.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "base/xalloc.h"

/* The columns of the CLAIM statement. */
enum {
  KIND,
  STATUS,
  NEXT_VISIBLE_MS,
  MORE,
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
  IS_ROOT,
  SUSPICION,
  LOST_TRANSACTIONS,
  SECRET
};

static const char *const status_names[] = {
    [CLAIM_OK] = "ok",
    [CLAIM_STALE_GENERATION] = "stale_generation",
    [CLAIM_NOT_SUBSCRIBED] = "not_subscribed",
    [CLAIM_UNKNOWN_WORKER] = "unknown_worker",
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
  task->is_root = *PQgetvalue(result, row, IS_ROOT) == 't';
  task->suspicion = (int)number(result, row, SUSPICION);
  task->lost_transactions = (int)number(result, row, LOST_TRANSACTIONS);
  task->secret = copy(result, row, SECRET);
  return task;
}

static void read_answer(struct claim *claim, const PGresult *result, int row) {
  const char *status = PQgetvalue(result, row, STATUS);
  for (size_t i = 0; i < sizeof status_names / sizeof *status_names; i++)
    if (strcmp(status, status_names[i]) == 0) claim->status = (enum claim_status)i;
  claim->more = *PQgetvalue(result, row, MORE) == 't';
  claim->server_s = (int)number(result, row, TIMEOUT_S);
  if (!PQgetisnull(result, row, NEXT_VISIBLE_MS)) claim->next_visible_ms = number(result, row, NEXT_VISIBLE_MS);
}

/* Of a task that the database has failed, since its input cannot be given out. */
static void log_failed(const PGresult *result, int row, struct log *log) {
  LOG(log, LOG_WARN, "failed_unclaimed", LOG_STR("flow", PQgetvalue(result, row, FLOW_SLUG)),
      LOG_STR("run", PQgetvalue(result, row, RUN_ID)), LOG_STR("step", PQgetvalue(result, row, STEP_SLUG)),
      LOG_INT("index", number(result, row, TASK_INDEX)), LOG_STR("message", PQgetvalue(result, row, INPUT)));
}

/* Messages that the database has archived: those that belong to no task, and those that no claim could read. */
static const struct archived {
  const char *kind, *one, *many;
} orphans = {"orphan", "archived_orphan", "archived_orphans"},
  unreadable = {"unreadable", "archived_unreadable", "archived_unreadables"};

/* One line each, unless there are many. */
static void log_archived(const struct archived *archived, const PGresult *result, const char *queue, struct log *log) {
  enum { LOGGED = 20 };
  int64_t first = 0, last = 0, count = 0;
  for (int row = 0; row < PQntuples(result); row++) {
    if (strcmp(PQgetvalue(result, row, KIND), archived->kind) != 0) continue;
    last = number(result, row, MSG_ID);
    if (count++ < LOGGED)
      LOG(log, LOG_WARN, archived->one, LOG_STR("queue", queue), LOG_INT("message", last),
          LOG_STR("reason", PQgetisnull(result, row, INPUT) ? NULL : PQgetvalue(result, row, INPUT)));
    else if (count == LOGGED + 1)
      first = last;
  }
  if (count > LOGGED)
    LOG(log, LOG_WARN, archived->many, LOG_STR("queue", queue), LOG_INT("messages", count - LOGGED),
        LOG_INT("first", first), LOG_INT("last", last));
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
    } else if (strcmp(kind, "failed") == 0) {
      log_failed(result, row, log);
    } else if (strcmp(kind, "answer") == 0) {
      read_answer(claim, result, row);
    } else if (strcmp(kind, "unknown") == 0) {
      buf_printf(&unknown, "%s%s.%s", unknown.len ? ", " : "", PQgetvalue(result, row, FLOW_SLUG),
                 PQgetvalue(result, row, STEP_SLUG));
    }
  }
  log_archived(&orphans, result, queue, log);
  log_archived(&unreadable, result, queue, log);
  if (claim->status == CLAIM_UNKNOWN_PAIRS) claim->unknown = xmemdup(unknown.data, unknown.len);
  buf_free(&unknown);
}
