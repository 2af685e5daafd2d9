/* The functions of the subcommands, one file each. All return the exit code. */
#ifndef LUAFLOW_CLI_COMMANDS_H
#define LUAFLOW_CLI_COMMANDS_H

#include "cli/cli.h"

int command_dev(const struct call *call);
int command_worker(const struct call *call);
int command_check(const struct call *call);
int command_types(const struct call *call);
int command_start(const struct call *call);
int command_runs(const struct call *call);
int command_run(const struct call *call);
int command_migrate(const struct call *call);
int command_lua(const struct call *call);

#endif
