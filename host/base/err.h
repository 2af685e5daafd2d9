/* The one error type. Passed as an out-parameter, filled where the fault happens, reported once at the top. */
#ifndef LUAFLOW_BASE_ERR_H
#define LUAFLOW_BASE_ERR_H

#include <stdbool.h>

/* Exit codes of the command line; see README.md. */
enum exit_code {
  EXIT_DONE = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_MODULES = 3,
  EXIT_REFUSED = 4,
  EXIT_UNCOVERED = 5,
  EXIT_DATABASE = 6,
};

/* Who must act. */
enum err_kind {
  ERR_NONE,
  ERR_RETRY,  /* the same call may succeed later: connection lost, deadlock */
  ERR_CONFIG, /* the user must change something */
  ERR_BUG,    /* luaflow is at fault */
};

struct err {
  enum err_kind kind;
  enum exit_code exit_code;
  char sqlstate[6];   /* empty unless the database reported it */
  char message[1024]; /* "what: why", without "luaflow:" in front; cut with a mark when longer */
  char hint[2048];    /* what to do about it; empty if there is none */
};

/* Fills *err and returns false, so that a failing function can end with `return err_set(...)`. */
bool err_set(struct err *err, enum err_kind kind, enum exit_code exit_code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* How a hint continues that refers to doctor; doctor itself cuts it there. */
#define ERR_SEE_DOCTOR "; `luaflow doctor` "
/* Adds the hint; returns false as well. */
bool err_hint(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The message of a database's error without "database: " in front, for the end of another sentence. */
const char *err_plain(const char *message);

#endif
