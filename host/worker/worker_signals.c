/* libuv's signal handles; each has its number. */
#include "worker/worker_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"

static const int watched[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1};

enum { COUNT = sizeof watched / sizeof *watched };

struct worker_signals {
  uv_signal_t handles[COUNT];
  int open_handles;
  bool on_terminal; /* when it started */
  bool outlives_terminal;
  struct worker_signal_events events;
  void *owner;
};

/* A terminal that closes is no longer there when it sends its SIGHUP. */
static bool is_on_terminal(void) {
  int fd = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

static void on_hangup(struct worker_signals *signals) {
  if (!signals->on_terminal || is_on_terminal())
    signals->events.reload(signals->owner);
  else if (!signals->outlives_terminal)
    signals->events.terminal_closed(signals->owner);
}

static void on_signal(uv_signal_t *handle, int number) {
  struct worker_signals *signals = handle->data;
  if (number == SIGUSR1)
    signals->events.summary(signals->owner);
  else if (number == SIGHUP)
    on_hangup(signals);
  else
    signals->events.stop(signals->owner);
  if (number == SIGQUIT) signals->events.stop(signals->owner); /* as a second signal: at once */
}

static bool is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void set_requests(int how) {
  sigset_t requests;
  sigemptyset(&requests);
  sigaddset(&requests, SIGHUP);
  sigaddset(&requests, SIGUSR1);
  sigprocmask(how, &requests, NULL);
}

void worker_signals_hold(void) {
  if (!is_on_terminal()) set_requests(SIG_BLOCK);
}

struct worker_signals *worker_signals_new(uv_loop_t *loop, const struct worker_signal_events *events, void *owner) {
  struct worker_signals *signals = xcalloc(1, sizeof *signals);
  signals->events = *events;
  signals->owner = owner;
  signals->open_handles = COUNT;
  signals->on_terminal = is_on_terminal();
  signals->outlives_terminal = is_ignored(SIGHUP);
  signal(SIGPIPE, SIG_IGN);
  for (int i = 0; i < COUNT; i++) {
    uv_signal_init(loop, &signals->handles[i]);
    signals->handles[i].data = signals;
    uv_signal_start(&signals->handles[i], on_signal, watched[i]);
  }
  set_requests(SIG_UNBLOCK);
  return signals;
}

static void on_closed(uv_handle_t *handle) {
  struct worker_signals *signals = handle->data;
  if (--signals->open_handles == 0) free(signals);
}

void worker_signals_free(struct worker_signals *signals) {
  for (int i = 0; i < COUNT; i++) uv_close((uv_handle_t *)&signals->handles[i], on_closed);
}
