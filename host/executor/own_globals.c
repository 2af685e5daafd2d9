/* Keeps what handlers do to the standard libraries from luaflow's own modules and from other tasks: luaflow's modules
 * see a copy of the globals, and what a handler removes is still found there. string_methods.c does so for the methods
 * of strings, own_modules.c for the modules. */
#include <lauxlib.h>
#include <string.h>

#include "executor/state.h"

/* In the registry, by their addresses. */
static const char own;      /* the globals of luaflow's modules, with copies of the libraries */
static const char original; /* the globals as they were, with the libraries that handlers see */

void push_copy(lua_State *L) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3);) {  // [table, copy, key, value]
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);
  }
}

static bool is_library(lua_State *L, const char *name) {
  return lua_istable(L, -1) && strcmp(name, "_G") != 0 && strcmp(name, "package") != 0;
}

/* A library falls back to its copy, which takes its place. [globals, name, library] -> [globals, name] */
static void replace_by_copy(lua_State *L) {
  push_copy(L);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "__index");  // [globals, name, library, copy, metatable]
  lua_setmetatable(L, -3);
  lua_pushvalue(L, -3);
  lua_insert(L, -2);
  lua_rawset(L, -5);
  lua_pop(L, 1);
}

/* [table] -> [] */
static void keep(lua_State *L, const char *key) {
  lua_pushlightuserdata(L, (void *)key);
  lua_insert(L, -2);
  lua_rawset(L, LUA_REGISTRYINDEX);
}

void copy_globals(lua_State *L) {
  lua_pushvalue(L, LUA_GLOBALSINDEX);
  push_copy(L);
  keep(L, &original);
  push_copy(L);  // [globals, own]
  for (lua_pushnil(L); lua_next(L, -2);) {
    if (is_library(L, lua_tostring(L, -2)))
      replace_by_copy(L);
    else
      lua_pop(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, -2, "_G");
  keep(L, &own);
  lua_pop(L, 1);
}

void push_original_globals(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&original);
  lua_rawget(L, LUA_REGISTRYINDEX);
}

void push_own_globals(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&own);
  lua_rawget(L, LUA_REGISTRYINDEX);
  if (!lua_isnil(L, -1)) return;
  lua_pop(L, 1);
  lua_pushvalue(L, LUA_GLOBALSINDEX);
}

void push_own_string(lua_State *L) {
  push_own_globals(L);
  lua_getfield(L, -1, "string");
  push_copy(L);
  lua_replace(L, -3);
  lua_pop(L, 1);
}
