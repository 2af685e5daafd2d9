/* What deploy_flows says about a shape or a routing that differs, in the words of who writes the flow. */
#ifndef LUAFLOW_WORKER_CONTROL_DIFFERENCE_H
#define LUAFLOW_WORKER_CONTROL_DIFFERENCE_H

#include "base/buf.h"

/* Appends the line (terminated by '\0' or a newline) with the options' own names, and with both sides named: what the modules
 * define, and what the database has. A line of another form is appended as it is. */
void difference_put(struct buf *out, const char *line);

#endif
