/* The functions of the subcommands, one file each. All return the exit code. */
#ifndef LUAFLOW_CLI_COMMANDS_COMMANDS_H
#define LUAFLOW_CLI_COMMANDS_COMMANDS_H

#include "cli/cli.h"

int command_init(const struct call *call);
int command_dev(const struct call *call);
int command_worker(const struct call *call);
int command_check(const struct call *call);
int command_try(const struct call *call);
int command_types(const struct call *call);
int command_start(const struct call *call);
int command_runs(const struct call *call);
int command_run(const struct call *call);
int command_cancel(const struct call *call);
int command_retry(const struct call *call);
int command_flows(const struct call *call);
int command_queues(const struct call *call);
int command_workers(const struct call *call);
int command_functions(const struct call *call);
int command_reload(const struct call *call);
int command_rollout(const struct call *call);
int command_prune(const struct call *call);
int command_doctor(const struct call *call);
int command_migrate(const struct call *call);
int command_lua(const struct call *call);

#endif
