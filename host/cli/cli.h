/* The command line: finds the subcommand, reads its settings, runs it, and reports errors one way. */
#ifndef LUAFLOW_CLI_CLI_H
#define LUAFLOW_CLI_CLI_H

#include "base/err.h"
#include "base/log.h"
#include "base/settings.h"

/* One use of a subcommand. */
struct call {
  const struct settings *settings;
  int argc; /* arguments that are not options */
  char **argv;
  struct log *log;
};

/* Runs the command line and returns the exit code. */
int cli_main(int argc, char **argv);

/* Prints "luaflow: what: why" and the hint to stderr; returns the error's exit code. */
int cli_fail(const struct err *err);

#endif
