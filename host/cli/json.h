/* JSON of the command line: checked before anything is sent. */
#ifndef LUAFLOW_CLI_JSON_H
#define LUAFLOW_CLI_JSON_H

#include <stdbool.h>

#include "base/err.h"

/* The run's input: the argument itself, standard input for "-", {} for NULL. A terminated text owned by the caller; NULL if it
 * cannot be read or is no JSON (*err, exit 2). */
char *json_read_input(const char *argument, struct err *err);

#endif
