/* What a script or a handler without a worker logs. */
#ifndef LUAFLOW_CLI_SCRIPT_LOG_H
#define LUAFLOW_CLI_SCRIPT_LOG_H

#include "base/buf.h"
#include "base/log.h"

/* Writes the line of a LOG frame. */
void script_log(struct log *log, struct cursor *payload);

#endif
