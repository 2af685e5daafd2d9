/* The methods of strings belong to luaflow's modules and to all tasks alike: a handler cannot take them away. */
#include <lauxlib.h>
#include <string.h>

#include "executor/state.h"

/* A function of the project, as for s[i], is asked for what string has not. */
static const char fall_back_to_function[] =
    "local methods, find = ...\n"
    "return function(s, name)\n"
    "  local method = methods[name]\n"
    "  if method ~= nil then return method end\n"
    "  return find(s, name)\n"
    "end\n";

/* Pushes what getmetatable gives for the value at index 1, and returns true, if that is a string of a guarded state. */
static bool push_guard(lua_State *L) { return lua_type(L, 1) == LUA_TSTRING && luaL_getmetafield(L, 1, "__metatable"); }

/* Is the value at index 1 of a type whose values have one metatable together, and the state guarded? */
static bool is_shared(lua_State *L) {
  int type = lua_type(L, 1);
  if (type == LUA_TNONE || type == LUA_TTABLE || type == LUA_TUSERDATA) return false;
  lua_pushliteral(L, "");
  bool guarded = luaL_getmetafield(L, -1, "__metatable");
  lua_pop(L, guarded ? 2 : 1);
  return guarded;
}

/* Calls the replaced function, the first upvalue, with the same arguments. */
static int call_replaced(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

static int get_metatable(lua_State *L) { return push_guard(L) ? 1 : call_replaced(L); }

static int set_metatable(lua_State *L) {
  if (!is_shared(L)) return call_replaced(L);
  return luaL_error(L, "the metatable of every %s is protected: all tasks share it", luaL_typename(L, 1));
}

void replace_debug(lua_State *L) {
  static const luaL_Reg functions[] = {{"getmetatable", get_metatable}, {"setmetatable", set_metatable}};
  lua_getglobal(L, "debug");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    lua_getfield(L, -1, functions[i].name);
    lua_pushcclosure(L, functions[i].func, 1);
    lua_setfield(L, -2, functions[i].name);
  }
  lua_pop(L, 1);
}

/* [] -> [the library as handlers see it] */
static void push_string_library(lua_State *L) {
  push_original_globals(L);
  lua_getfield(L, -1, "string");
  lua_remove(L, -2);
}

/* [metatable] -> [metatable, its __index: luaflow's string library first, then what the project has put there] */
static void push_methods(lua_State *L) {
  push_own_string(L);
  lua_getfield(L, -2, "__index");  // [metatable, methods, index]
  if (lua_isfunction(L, -1)) {
    luaL_loadbuffer(L, fall_back_to_function, strlen(fall_back_to_function), "=luaflow");
    lua_insert(L, -3);
    lua_call(L, 2, 1);
    return;
  }
  if (!lua_istable(L, -1)) {
    lua_pop(L, 1);
    push_string_library(L);
  }
  lua_createtable(L, 0, 1);
  lua_insert(L, -2);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* The metatable is a new one, as a module may have kept the old one. */
void guard_strings(lua_State *L) {
  lua_pushliteral(L, "");
  lua_newtable(L);
  if (!lua_getmetatable(L, -2)) lua_newtable(L);  // ["", new, old]
  for (lua_pushnil(L); lua_next(L, -2);) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  push_methods(L);
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "string");
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}
