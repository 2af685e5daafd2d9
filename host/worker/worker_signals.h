/* The signals of a worker. */
#ifndef LUAFLOW_WORKER_WORKER_SIGNALS_H
#define LUAFLOW_WORKER_WORKER_SIGNALS_H

#include <uv.h>

struct worker_signals;

struct worker_signal_events {
  void (*stop)(void *owner);   /* SIGTERM or SIGINT, each time */
  void (*reload)(void *owner); /* SIGHUP, each time, but for the next case */
  /* SIGHUP since the terminal has closed; not told if SIGHUP was ignored when the program started (nohup). */
  void (*terminal_closed)(void *owner);
  void (*summary)(void *owner); /* SIGUSR1 */
};

/* SIGHUP and SIGUSR1, which would end the process, wait until worker_signals_new: files may take long to read. On a
 * terminal, whose closing sends SIGHUP, they do not wait. */
void worker_signals_hold(void);
/* Watches them; SIGPIPE is ignored from now on. */
struct worker_signals *worker_signals_new(uv_loop_t *loop, const struct worker_signal_events *events, void *owner);
void worker_signals_free(struct worker_signals *signals);

#endif
