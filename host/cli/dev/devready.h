/* What dev says once a run can be started. */
#ifndef LUAFLOW_CLI_DEV_DEVREADY_H
#define LUAFLOW_CLI_DEV_DEVREADY_H

#include <stdbool.h>

#include "base/buf.h"
#include "worker/source/load_report.h"

/* Appends the lines: how many queues, which flows, how to start one, and the database. named: that command needs the
 * conninfo, since it finds another. */
void devready_put(struct buf *out, const struct load_report *report, const char *conninfo, bool named);

#endif
