/* Starting a child process with what libuv's spawn lacks: an account to run under and a signal at the parent's death.
 * */
#ifndef LUAFLOW_CLI_DEV_CHILD_H
#define LUAFLOW_CLI_DEV_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

enum { ACCOUNT_GROUPS = 64 };

/* An account to run a child under. */
struct account {
  char name[64];
  uid_t uid;
  gid_t gid;
  gid_t groups[ACCOUNT_GROUPS];
  int group_count;
};

/* The first of the accounts, a list ended by NULL, that exists. */
bool account_find(const char *const *names, struct account *account) __attribute__((warn_unused_result));

struct child_options {
  const char *program;           /* path */
  const char *const *argv;       /* ended by NULL */
  const struct account *account; /* NULL: as the parent */
  const char *folder;            /* to start in; NULL: the parent's */
  int output;                    /* standard output and error; -1: the parent's */
  int death_signal;              /* the kernel sends it to the child when this process has ended */
  int pass;                      /* a descriptor that the child keeps under its number; 0: none */
  bool without_pg;               /* PG* and LUAFLOW_* are left out of its environment */
};

/* Starts it in its own session, with standard input empty and no signal blocked. Returns once the program has
 * really started: its pid, or -1 with the reason in *err (exit 1). */
pid_t child_start(const struct child_options *options, struct err *err);
/* True if it has ended; *status is then as from waitpid. Waits for it if wait is set. */
bool child_ended(pid_t pid, bool wait, int *status);

#endif
