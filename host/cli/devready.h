/* What dev says once a run can be started. */
#ifndef LUAFLOW_CLI_DEVREADY_H
#define LUAFLOW_CLI_DEVREADY_H

#include "base/buf.h"
#include "worker/load_report.h"

/* Appends the lines: how many queues, which flows, and how to start one. conninfo is what that command must be told, or NULL
 * where it finds the database itself. */
void devready_put(struct buf *out, const struct load_report *report, const char *conninfo);

#endif
