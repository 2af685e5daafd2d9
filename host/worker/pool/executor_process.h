/* One executor: spawning it, loading it, frames to and from it, its output, its end. Knows nothing of tasks. */
#ifndef LUAFLOW_WORKER_POOL_EXECUTOR_PROCESS_H
#define LUAFLOW_WORKER_POOL_EXECUTOR_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "base/frame.h"
#include "base/pulse.h"
#include "worker/pool/executor_options.h"
#include "worker/source/load_report.h"

struct executor_process;

struct executor_exit {
  int64_t code;
  int signal;   /* 0: it ended without one */
  bool by_host; /* executor_process_kill_for has ended it */
  /* "exited with code 0", "was killed by SIGSEGV (segmentation fault)", or what executor_process_kill_for was given */
  char reason[512];
};

struct executor_events {
  /* The modules are loaded, or have problems. May take the report's content over. Not for scripts. */
  void (*loaded)(void *owner, struct load_report *report);
  void (*frame)(void *owner, struct frame *frame);
  void (*line)(void *owner, bool from_stderr, const char *line); /* terminated, without newline; NULL if not wanted */
  /* The process was reaped, what is left of its session was killed, and all that it sent has been reported. The last
   * event; the owner calls executor_process_free. */
  void (*exited)(void *owner, const struct executor_exit *exit);
};

/* NULL with *err if it cannot be started. */
struct executor_process *executor_process_new(uv_loop_t *loop, const struct executor_options *options,
                                              const struct executor_events *events, void *owner, struct err *err)
    __attribute__((warn_unused_result));
/* Which task it runs; of a dead one, which it ran when it died. */
struct pulse_state executor_process_pulse(const struct executor_process *process);
/* Asks where the task is that it runs; the answer is there some milliseconds later, if it runs Lua at all. */
void executor_process_ask_place(struct executor_process *process);
/* That place; "" if it is not known. */
void executor_process_place(const struct executor_process *process, uint64_t task, char place[PULSE_PLACE_MAX]);
/* Where the finalizer that was called last is written; "" if it is not Lua. */
void executor_process_finalizer_place(const struct executor_process *process, char place[PULSE_FINALIZER_MAX]);
/* True if it is stopped, by a signal or a debugger. */
bool executor_process_is_stopped(const struct executor_process *process);
/* Bytes of memory that are resident; 0 once it has been reaped. */
int64_t executor_process_memory(const struct executor_process *process);
void executor_process_send(struct executor_process *process, enum frame_type type, uint64_t task,
                           const struct buf *payload);
/* Lets it go: closes the channel, and kills it if it is still there two seconds later. */
void executor_process_stop(struct executor_process *process);
void executor_process_kill(struct executor_process *process);
/* The same; unless it ends otherwise first, the reason is what its exit shows: "did not load within 30 s". */
void executor_process_kill_for(struct executor_process *process, const char *reason);
/* Only when it has exited, or on a loop that is run no more than to close handles: an executor that lives is killed. */
void executor_process_free(struct executor_process *process);

#endif
