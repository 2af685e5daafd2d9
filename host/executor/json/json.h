/* The JSON codec between Postgres and handlers: text to Lua values and back without loss (equal as jsonb).
 * Integers beyond 2^53 are LuaJIT int64_t, null is lightuserdata NULL, arrays are marked by the metatables of
 * luaflow.json. Neither direction runs the user's code: metamethods are not called. */
#ifndef LUAFLOW_EXECUTOR_JSON_JSON_H
#define LUAFLOW_EXECUTOR_JSON_JSON_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

enum { JSON_MAX_DEPTH = 512 };

/* What the codec keeps of a Lua state: references in its registry, all valid for the state's life. */
struct json {
  int array_mt;
  int object_mt;
  int int64;
  int uint64;
  int istype;
};

/* Takes the modules luaflow.json and ffi from the top of the stack. Raises, so call it protected. */
void json_init(lua_State *L, struct json *json);

/* Pushes the value of text and returns true, or pushes a message ("input.x: ...", with root in the place of input)
 * and returns false. text must stay where it is meanwhile. Raises only when memory or stack run out, and leaks
 * nothing then. */
bool json_decode(lua_State *L, const struct json *json, const char *text, size_t length, const char *root);
/* The same; of a text that is no JSON *failed_at is how many bytes were read, of others 0. */
bool json_decode_at(lua_State *L, const struct json *json, const char *text, size_t length, const char *root,
                    size_t *failed_at);

struct json_options {
  const char *root;       /* stands for the whole value in messages, such as "output" */
  bool empty_array;       /* an unmarked empty table as the whole value is [] */
  size_t limit;           /* most bytes of the text */
  const char *limited_by; /* the setting that says so, for the message; NULL where there is none */
  bool *of_code;          /* set to whether a refusal is the code's fault, whatever its data are; can be NULL */
};

/* Pushes the text of the value at index and returns true, or pushes a message that names path and type, never a value,
 * and returns false. Keys of objects are sorted. Raises as json_decode does. */
bool json_encode(lua_State *L, const struct json *json, int index, const struct json_options *options);

#endif
