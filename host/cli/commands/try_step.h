/* The step that luaflow try runs: found by name in what an executor has loaded. */
#ifndef LUAFLOW_CLI_COMMANDS_TRY_STEP_H
#define LUAFLOW_CLI_COMMANDS_TRY_STEP_H

#include "base/err.h"
#include "worker/source/load_report.h"

struct try_step { /* all owned; freed by try_step_free */
  char *flow;
  char *step;
  char *queue;
  char **dependencies; /* whose outputs are its input; of a map none */
  size_t dependency_count;
  bool is_map;
  bool takes_run_input; /* its input is the run's input */
  int64_t max_attempts;
  int64_t timeout_s;
};

/* name: STEP, or FLOW.STEP if several flows have the step; NULL: none is known, so all are named. False with *err
 * (exit 2) and nothing to free. */
bool try_step_find(struct try_step *step, const struct load_report *report, const char *name, struct err *err)
    __attribute__((warn_unused_result));
/* Can this JSON be its input? False with *err (exit 2). */
bool try_step_check_input(const struct try_step *step, const char *input, struct err *err)
    __attribute__((warn_unused_result));
void try_step_free(struct try_step *step);

#endif
