/* What is different for code that runs in an executor: print and os.exit. */
#include <lauxlib.h>
#include <stdlib.h>

#include "executor/state.h"

/* print(...) as a log line: the arguments' tostring with tabs between. */
static int print(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  int count = lua_gettop(L);
  luaL_Buffer line;
  lua_getglobal(L, "tostring");  // [arguments, tostring]
  for (int i = 1; i <= count; i++) {
    lua_pushvalue(L, count + 1);
    lua_pushvalue(L, i);
    lua_call(L, 1, 1);
    if (!lua_isstring(L, -1)) return luaL_error(L, "'tostring' must return a string to 'print'");
    lua_replace(L, i);
  }
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    lua_pushvalue(L, i);
    luaL_addvalue(&line);
  }
  luaL_pushresult(&line);
  runtime_log(runtime, runtime_task(runtime), LOG_INFO, runtime_text(L, -1), (struct text){0});
  return 0;
}

void replace_print(lua_State *L, struct runtime *runtime) {
  lua_pushlightuserdata(L, runtime);
  lua_pushcclosure(L, print, 1);
  lua_setglobal(L, "print");
}

static int refuse_exit(lua_State *L) {
  return luaL_error(L, "os.exit would end the executor with all its tasks; return, or raise with luaflow.fail");
}

/* os.exit(code or boolean, close) of a script. */
static int exit_script(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  int code =
      lua_isboolean(L, 1) ? (lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE) : luaL_optint(L, 1, EXIT_SUCCESS);
  state_exit(runtime, code, lua_toboolean(L, 2));
}

void replace_exit(lua_State *L, struct runtime *runtime) {
  lua_getglobal(L, "os");
  lua_pushlightuserdata(L, runtime);
  lua_pushcclosure(L, runtime->mode == LOAD_SCRIPT ? exit_script : refuse_exit, 1);
  lua_setfield(L, -2, "exit");
  lua_pop(L, 1);
}
