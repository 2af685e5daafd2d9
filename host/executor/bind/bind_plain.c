/* The functions of the host table that never wait. */
#include <lauxlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "executor/bind/bindings.h"

/* now() -> epoch seconds */
static int now(lua_State *L) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  lua_pushnumber(L, (double)time.tv_sec + (double)time.tv_nsec / 1e9);
  return 1;
}

/* task() -> the number of the task whose handler runs */
static int task(lua_State *L) {
  lua_pushnumber(L, (double)runtime_task(runtime_of(L)));
  return 1;
}

static int stopping(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  runtime_listen(runtime);
  lua_pushboolean(L, runtime->stopping);
  return 1;
}

static int cancelled(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  const struct coroutine *task = sched_current(runtime->sched);
  runtime_listen(runtime);
  lua_pushboolean(L, task && task->cancelled);
  return 1;
}

/* encode(value, root, empty_array) -> text; or nil, a message, and whether the code alone is at fault */
static int encode(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  bool of_code = false;
  lua_settop(L, 3);
  struct json_options options = {.root = luaL_optstring(L, 2, "value"),
                                 .empty_array = lua_toboolean(L, 3),
                                 .limit = runtime->max_output,
                                 .limited_by = "--max-output",
                                 .of_code = &of_code};
  if (json_encode(L, &runtime->json, 1, &options)) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  lua_pushboolean(L, of_code);
  return 3;
}

/* decode(text, root) -> value; or nil, a message and, of a text that is no JSON, the number of the byte there */
static int decode(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  size_t length, failed_at;
  const char *text = luaL_checklstring(L, 1, &length);
  if (json_decode_at(L, &runtime->json, text, length, luaL_optstring(L, 2, "input"), &failed_at)) return 1;
  lua_pushnil(L);
  lua_insert(L, -2);
  if (failed_at == 0) return 2;
  lua_pushnumber(L, (double)failed_at);
  return 3;
}

/* Fields that JSON cannot hold do not cost the line: it says what was wrong with them. [] -> [text] */
static void encode_fields(lua_State *L, struct runtime *runtime, int index) {
  struct json_options options = {.root = "fields", .limit = runtime->max_output};
  if (json_encode(L, &runtime->json, index, &options)) return;
  lua_createtable(L, 0, 1);  // [message, table]
  lua_insert(L, -2);
  lua_setfield(L, -2, "fields_refused");
  json_encode(L, &runtime->json, -1, &options);
  lua_remove(L, -2);
}

/* log(level, message, fields or nil) */
static int log_line(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  enum log_level level;
  lua_settop(L, 3);
  const char *name = lua_tostring(L, 1);
  if (!name || !log_level_parse(name, &level))
    return runtime_error(L, "log expects a level: debug, info, warn or error");
  if (!lua_isnil(L, 3) && !lua_istable(L, 3)) return runtime_error(L, "log expects a table of fields");
  luaL_checkstring(L, 2);
  if (lua_isnil(L, 3))
    lua_pushnil(L);
  else
    encode_fields(L, runtime, 3);
  runtime_log(runtime, runtime_task(runtime), level, runtime_text(L, 2), runtime_text(L, 4));
  return 0;
}

static const luaL_Reg functions[] = {
    {"now", now},       {"task", task},     {"stopping", stopping}, {"cancelled", cancelled},
    {"encode", encode}, {"decode", decode}, {"log", log_line},      {NULL, NULL},
};

/* [] -> [table of the environment] */
static void push_env(lua_State *L) {
  lua_newtable(L);
  for (char **entry = environ; *entry; entry++) {
    const char *equals = strchr(*entry, '=');
    if (!equals) continue;
    lua_pushlstring(L, *entry, (size_t)(equals - *entry));
    lua_pushstring(L, equals + 1);
    lua_rawset(L, -3);
  }
}

void bind_plain(lua_State *L, struct runtime *runtime) {
  lua_pushlightuserdata(L, runtime);
  luaL_setfuncs(L, functions, 1);
  lua_pushboolean(L, runtime->development);
  lua_setfield(L, -2, "development");
  push_env(L);
  lua_setfield(L, -2, "env");
}
