/* Put together from what the executor's pulse shows. */
#include "worker/pool/timeout_text.h"

#include <inttypes.h>

#include "base/xalloc.h"

char *timeout_text(const struct executor_process *process, uint64_t task, int64_t timeout_s) {
  struct pulse_state pulse = executor_process_pulse(process);
  char place[PULSE_PLACE_MAX];
  if (!pulse.running || pulse.task != task) return xasprintf("timed out after %" PRId64 " s", timeout_s);
  executor_process_place(process, task, place);
  if (*place)
    return xasprintf("timed out after %" PRId64 " s: it never yielded, and was at %s: is this a loop without an end?",
                     timeout_s, place);
  return xasprintf("timed out after %" PRId64
                   " s: it never yielded, and was in a call that runs no Lua, such as "
                   "os.execute or a search for a costly pattern",
                   timeout_s);
}
