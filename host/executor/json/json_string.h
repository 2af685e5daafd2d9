/* Strings as JSON. Knows nothing of Lua. */
#ifndef LUAFLOW_EXECUTOR_JSON_JSON_STRING_H
#define LUAFLOW_EXECUTOR_JSON_JSON_STRING_H

#include "base/buf.h"

/* Appends bytes as a JSON string and returns NULL; or says what keeps them from being one that jsonb can hold, and
 * leaves a part of it in out. */
const char *json_string_write(struct buf *out, const char *bytes, size_t length);

#endif
