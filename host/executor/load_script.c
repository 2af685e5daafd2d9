/* `luaflow lua`: runs the script as one task, with its own context and otherwise the rules of plain luajit. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "executor/load.h"
#include "executor/state.h"

struct script {
  struct runtime *runtime;
  char **arguments; /* owned; the script's path first */
  uint32_t count;
};

static void end(struct runtime *runtime, int code) {
  runtime->ended = true;
  runtime->exit_code = code;
}

/* The handler of the script's xpcall. [error] -> [text with traceback] */
static int add_traceback(lua_State *L) {
  if (!lua_isstring(L, 1) && !luaL_callmeta(L, 1, "__tostring"))
    lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  luaL_traceback(L, L, lua_tostring(L, -1), 1);
  return 1;
}

/* [false, text of the script's error] or [true, ...]; or the error of a misuse */
static void on_ended(struct coroutine *task, enum coroutine_end how) {
  bool good = how == COROUTINE_RETURNED && lua_toboolean(task->co, 1);
  struct text message = runtime_text(task->co, -1);
  if (!good) say(stderr, "luaflow: %.*s\n", (int)message.length, message.bytes ? message.bytes : "");
  end(task->owner, good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* arg as luajit sets it: the script at 0, what comes before it below. */
static void set_arg(lua_State *L, const struct script *script) {
  lua_createtable(L, (int)script->count, 2);
  lua_pushliteral(L, "luaflow");
  lua_rawseti(L, -2, -1);
  for (uint32_t i = 0; i < script->count; i++) {
    lua_pushstring(L, script->arguments[i]);
    lua_rawseti(L, -2, (int)i);
  }
  lua_setglobal(L, "arg");
}

/* [] -> [context]: a script's task belongs to no run */
static void push_context(lua_State *L, const struct runtime *runtime) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, runtime->new_context);
  lua_rawgeti(L, LUA_REGISTRYINDEX, runtime->host);
  lua_createtable(L, 0, 5);
  lua_pushnumber(L, 0);
  lua_setfield(L, -2, "number");
  lua_pushnumber(L, 0);
  lua_setfield(L, -2, "task_index");
  lua_pushnumber(L, 1);
  lua_setfield(L, -2, "attempt");
  lua_pushnumber(L, 1);
  lua_setfield(L, -2, "max_attempts");
  lua_pushnumber(L, HUGE_VAL);
  lua_setfield(L, -2, "deadline");
  lua_call(L, 2, 1);
}

/* Makes the task with [xpcall, chunk, add_traceback, context, arguments ...] on its coroutine. */
static int prepare(lua_State *L) {
  struct script *script = lua_touserdata(L, 1);
  int arguments = (int)script->count + 2; /* of xpcall: its own two, the context, and all but the script's path */
  set_arg(L, script);
  luaL_checkstack(L, arguments, "too many arguments");
  lua_getglobal(L, "xpcall");
  if (luaL_loadfile(L, script->arguments[0]) != 0) return lua_error(L);
  lua_pushcfunction(L, add_traceback);
  push_context(L, script->runtime);
  for (uint32_t i = 1; i < script->count; i++) lua_pushstring(L, script->arguments[i]);
  struct coroutine *task = sched_add(script->runtime->sched, 0, on_ended);
  task->owner = script->runtime;
  luaL_checkstack(task->co, arguments + 1, "too many arguments");
  lua_xmove(L, task->co, arguments + 1);
  sched_ready(task, arguments);
  return 0;
}

void executor_load_script(struct runtime *runtime, struct cursor *payload, uint32_t count) {
  struct err err = {0};
  struct script script = {.runtime = runtime, .count = count, .arguments = xcalloc(count, sizeof(char *))};
  for (uint32_t i = 0; i < count; i++) {
    script.arguments[i] = cursor_strdup(payload);
    if (!script.arguments[i]) script.arguments[i] = xstrdup("");
  }
  if (!state_open(runtime, &err) || !state_protect(runtime->L, prepare, &script, &err)) {
    say(stderr, "luaflow: %s\n", err.message);
    end(runtime, EXIT_FAILURE);
  }
  for (uint32_t i = 0; i < count; i++) free(script.arguments[i]);
  free(script.arguments);
}
