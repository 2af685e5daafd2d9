/* JSON of the command line: checked before anything is sent. */
#ifndef LUAFLOW_CLI_VIEW_JSON_H
#define LUAFLOW_CLI_VIEW_JSON_H

#include <stdbool.h>

#include "base/err.h"

/* what, in both: the words that an error begins with, such as "start: the input". */

/* False if the text is no JSON (*err, exit 2). */
bool json_check(const char *what, const char *text, struct err *err) __attribute__((warn_unused_result));
/* The argument itself, or standard input for "-". A terminated text owned by the caller; NULL if it cannot be read or
 * is no JSON (*err, exit 2). */
char *json_read(const char *what, const char *argument, struct err *err);

#endif
