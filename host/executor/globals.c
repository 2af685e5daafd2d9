/* The rule for handlers on globals: what one task leaves there, all other tasks of the executor would see. */
#include <lauxlib.h>

#include "executor/state.h"

/* Is a call of require (the second upvalue) on the stack? What a module sets while it loads is not the handler's. */
static bool is_loading(lua_State *L) {
  lua_Debug frame;
  for (int level = 1; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "f", &frame);
    bool loading = lua_rawequal(L, -1, lua_upvalueindex(2));
    lua_pop(L, 1);
    if (loading) return true;
  }
  return false;
}

/* True the first time for the name at index 2; the third upvalue remembers. */
static bool is_first(lua_State *L) {
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(3));
  bool first = lua_isnil(L, -1);
  lua_pop(L, 1);
  if (!first) return false;
  lua_pushvalue(L, 2);
  lua_pushboolean(L, true);
  lua_rawset(L, lua_upvalueindex(3));
  return true;
}

/* [...] -> [..., message with its place] */
static struct text push_message(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  luaL_where(L, 1);
  lua_pushfstring(L, "a handler assigns to the global \"%s\": write local %s", name, name);
  lua_concat(L, 2);
  return runtime_text(L, -1);
}

/* __newindex(globals, name, value) */
static int new_global(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  lua_settop(L, 3);
  if (!is_loading(L)) {
    struct text message = push_message(L);
    if (runtime->development) return lua_error(L);
    if (is_first(L)) runtime_log(runtime, runtime_task(runtime), LOG_WARN, message, (struct text){0});
    lua_settop(L, 3);
  }
  lua_rawset(L, 1);
  return 0;
}

void guard_globals(lua_State *L, struct runtime *runtime) {
  lua_pushvalue(L, LUA_GLOBALSINDEX);
  lua_createtable(L, 0, 2);
  push_original_globals(L);
  lua_setfield(L, -2, "__index");
  lua_pushlightuserdata(L, runtime);
  lua_getglobal(L, "require");
  lua_newtable(L);
  lua_pushcclosure(L, new_global, 3);
  lua_setfield(L, -2, "__newindex");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
