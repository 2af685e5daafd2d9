/* Signals as something to wait for: they are blocked and read from a descriptor, so nothing runs in a handler. */
#ifndef LUAFLOW_CLI_SIGNALS_H
#define LUAFLOW_CLI_SIGNALS_H

#include <stdbool.h>

struct signals {
  int fd; /* readable when one is there */
};

/* Blocks the listed signals (ended by 0) and opens the descriptor. One that was ignored when the program started stays
 * ignored, as nohup wants it, SIGINT and SIGCHLD excepted. */
struct signals signals_open(const int *list);
/* Unblocks nothing; closes the descriptor. */
void signals_close(struct signals *signals);
/* Waits up to timeout_ms (0: not at all) for one signal and returns it, or 0. */
int signals_wait(const struct signals *signals, int timeout_ms);
/* The same, but also ends, with 0, when fd is readable. */
int signals_wait_or_read(const struct signals *signals, int fd, int timeout_ms);

#endif
