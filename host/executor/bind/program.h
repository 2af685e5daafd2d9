/* A program that runs beside the executor's tasks: started, read to its end, killed with its whole process group. Knows
 * no Lua. */
#ifndef LUAFLOW_EXECUTOR_BIND_PROGRAM_H
#define LUAFLOW_EXECUTOR_BIND_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "base/buf.h"

enum program_failure {
  PROGRAM_GOOD,
  PROGRAM_NOT_STARTED, /* error: why */
  PROGRAM_TIMED_OUT,
  PROGRAM_TOO_LARGE, /* it wrote more than the limit */
};

enum { PROGRAM_OUTPUT, PROGRAM_ERRORS, PROGRAM_REPORT, PROGRAM_PIPES };

struct program {
  uv_process_t process;
  uv_pipe_t pipes[PROGRAM_PIPES];
  uv_timer_t timer;
  int open_pipes;
  int open_handles;
  int holders; /* the handles as one, and the owner until program_release */
  bool has_process;
  bool exited;
  bool closing;
  void (*ended)(void *owner); /* NULL once nobody waits */
  void *owner;
  size_t limit;                    /* bytes of both outputs together */
  struct buf texts[PROGRAM_PIPES]; /* what it wrote, by pipe */
  enum program_failure failure;
  int error; /* of errno */
  int64_t code;
  int signal; /* that ended it; 0: none */
};

/* The program and its arguments, and its environment, up to a NULL; input: its standard input, NULL for none;
 * timeout_ms 0: no limit. ended is called once, from the loop, unless the program was not started or is forgotten.
 * Returns a program in any case: see failure; the caller releases it. */
struct program *program_start(uv_loop_t *loop, char **arguments, char **environment, const char *input, size_t length,
                              uint64_t timeout_ms, size_t limit, void (*ended)(void *owner), void *owner);
/* Nobody waits any more: kills what still runs. */
void program_forget(struct program *program);
/* The owner looks at it no more. */
void program_release(struct program *program);

#endif
