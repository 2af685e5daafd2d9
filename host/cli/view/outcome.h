/* A run watched to its end, and how it ended: what start and retry do with --wait. */
#ifndef LUAFLOW_CLI_VIEW_OUTCOME_H
#define LUAFLOW_CLI_VIEW_OUTCOME_H

#include "cli/db.h"

enum { EXIT_DETACHED = 130 /* as for a program that Ctrl-C ended */ };

/* Shows the run until it has ended, then prints its output to standard output, or why it has none as an error; with
 * json an object in either case. Returns the exit code. */
int outcome_wait(struct db *db, const char *run_id, bool json);

#endif
