/* signalfd, with the exceptions that a command line needs. */
#include "cli/signals.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool stays_ignored(int number) {
  struct sigaction action;
  /* A shell without job control ignores SIGINT for what it starts in the background; a request to stop still counts. */
  return number != SIGINT && number != SIGCHLD && sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

struct signals signals_open(const int *list) {
  sigset_t set;
  sigemptyset(&set);
  for (; *list; list++)
    if (!stays_ignored(*list)) sigaddset(&set, *list);
  sigprocmask(SIG_BLOCK, &set, NULL);
  int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) {
    perror("luaflow: signalfd");
    abort();
  }
  return (struct signals){.fd = fd};
}

void signals_close(struct signals *signals) {
  close(signals->fd);
  signals->fd = -1;
}

int signals_wait(const struct signals *signals, int timeout_ms) {
  return signals_wait_or_read(signals, -1, timeout_ms); /* poll leaves a negative descriptor out */
}

int signals_wait_or_read(const struct signals *signals, int fd, int timeout_ms) {
  struct pollfd ready[] = {{.fd = signals->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
  if (poll(ready, 2, timeout_ms) <= 0 || !(ready[0].revents & POLLIN)) return 0;
  struct signalfd_siginfo info;
  return read(signals->fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}
