/* The project's own tables in the dev database: ROOT/sql. */
#ifndef LUAFLOW_CLI_DEV_DEVSQL_H
#define LUAFLOW_CLI_DEV_DEVSQL_H

#include "base/log.h"
#include "cli/dev/devserver.h"

/* Applies the files .sql that lie directly in ROOT/sql, in the order of their names, each once and in one transaction.
 * Logs those that it applied, and warns of those that have changed since. No such folder: nothing. False if a file
 * cannot be read or the server refuses it (*err has file and line, exit 1); the files before it stay applied. */
bool devsql_apply(const struct devserver *server, const char *root, struct log *log, struct err *err)
    __attribute__((warn_unused_result));

#endif
