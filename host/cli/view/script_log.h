/* What a script or a handler without a worker logs. */
#ifndef LUAFLOW_CLI_VIEW_SCRIPT_LOG_H
#define LUAFLOW_CLI_VIEW_SCRIPT_LOG_H

#include "base/buf.h"
#include "base/log.h"

/* Writes the line of a LOG frame. */
void script_log(struct log *log, struct cursor *payload);

/* One line; fields: JSON text or NULL. */
void script_log_line(struct log *log, enum log_level level, const char *message, const char *fields);

#endif
