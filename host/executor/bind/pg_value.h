/* Values of Postgres, as the server writes them in text, to Lua values without loss. */
#ifndef LUAFLOW_EXECUTOR_BIND_PG_VALUE_H
#define LUAFLOW_EXECUTOR_BIND_PG_VALUE_H

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "executor/json/json.h"

/* Pushes the value of a type by its OID and returns true, or pushes a message that begins with name and returns
 * false. Raises only when memory or stack run out. Types: booleans; integers, int64_t beyond 2^53; floats; numeric as
 * a number where that is the same value, else its text; json and jsonb; bytea as a string of its bytes; arrays of
 * these and of the other built-in types with luaflow.null for null. Everything else is its text. */
bool pg_value_push(lua_State *L, const struct json *json, uint32_t type, struct text text, const char *name);

/* True if the double that *number is set to is written as the same decimal number. */
bool pg_value_is_exact(struct text numeric, double *number);

#endif
