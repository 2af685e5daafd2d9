/* How much the handlers of an executor may write to the host's log, so that one that prints without end costs neither
 * the disk nor the host's time. */
#ifndef LUAFLOW_WORKER_POOL_LOG_BUDGET_H
#define LUAFLOW_WORKER_POOL_LOG_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LOG_BUDGET_BYTES = 1 << 20,        /* at once */
  LOG_BUDGET_BYTES_PER_S = 64 << 10, /* what time gives back */
};

struct log_budget {
  int64_t used; /* bytes, less what was given back */
  uint64_t at_ms;
  bool closed;           /* until half of it has been given back, so that what passes then is a whole piece */
  int64_t dropped_lines; /* since it was closed, until they are reported */
  int64_t dropped_bytes;
};

/* True if a line of so many bytes may be written; else it is counted as dropped. */
bool log_budget_take(struct log_budget *budget, uint64_t now_ms, size_t bytes);

#endif
