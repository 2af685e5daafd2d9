/* Reading the answer of claim_tasks. */
#ifndef LUAFLOW_WORKER_WORK_CLAIM_H
#define LUAFLOW_WORKER_WORK_CLAIM_H

#include <libpq-fe.h>
#include <stdint.h>

#include "base/log.h"
#include "worker/pool/task.h"

enum claim_status {
  CLAIM_OK,
  CLAIM_STALE_GENERATION,
  CLAIM_NOT_SUBSCRIBED,
  CLAIM_UNKNOWN_WORKER,
  CLAIM_UNKNOWN_PAIRS,
  CLAIM_BROKEN
};

struct claim {
  enum claim_status status;
  int64_t next_visible_ms; /* -1: no message is hidden */
  int server_s;            /* that the claim took on the server */
  bool more;          /* there may be visible messages: nothing is known of what lies behind those that were read */
  struct task *tasks; /* a utlist, the caller's; empty unless status is CLAIM_OK */
  int task_count;
  char *unknown; /* "flow.step, flow.step", owned by the caller; NULL unless status is CLAIM_UNKNOWN_PAIRS */
};

/* next_number is counted up for each task; deadlines count from sent_at (milliseconds on the loop's clock). Orphaned
 * messages are logged. */
void claim_read(struct claim *claim, const PGresult *result, uint64_t *next_number, uint64_t sent_at, const char *queue,
                struct log *log);

#endif
