/* luaflow's modules belong to all tasks alike: they require each other as they are, and everybody else is given tables
 * that cannot be assigned to. */
#include <lauxlib.h>

#include "executor/state.h"

static const char own; /* in the registry, by its address: the modules themselves, by name */

/* [] -> [table by name] */
static void push_own_modules(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&own);
  lua_rawget(L, LUA_REGISTRYINDEX);
}

/* __newindex(module, key, value), the first upvalue is its name */
static int refuse_assignment(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  return luaL_error(L, "cannot assign to \"%s\" of module %s: all tasks share the modules of luaflow", key,
                    lua_tostring(L, lua_upvalueindex(1)));
}

/* What debug can reach of the module is a copy as well. [module] -> [what others are given] */
static void push_guarded(lua_State *L, const char *name) {
  lua_newtable(L);
  lua_createtable(L, 0, 3);
  lua_pushvalue(L, -3);
  push_copy(L);  // [module, guarded, metatable, module, copy]
  if (lua_getmetatable(L, -2)) lua_setmetatable(L, -2);
  lua_setfield(L, -3, "__index");
  lua_pop(L, 1);  // [module, guarded, metatable]
  lua_pushstring(L, name);
  lua_pushcclosure(L, refuse_assignment, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushliteral(L, "luaflow");
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

void guard_module(lua_State *L, const char *name) {
  push_own_modules(L);
  if (lua_istable(L, -1) && lua_istable(L, -2)) {
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
    push_guarded(L, name);
  } else {
    lua_pop(L, 1);
  }
}

/* The loader of a module; the upvalue is its chunk. */
static int load_module(lua_State *L) {
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  guard_module(L, luaL_checkstring(L, 1));
  return 1;
}

void push_module_loader(lua_State *L) { lua_pushcclosure(L, load_module, 1); }

/* require of luaflow's modules; the upvalue is that of everybody. */
static int require_own(lua_State *L) {
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);  // [name, value]
  push_own_modules(L);
  lua_getfield(L, -1, luaL_checkstring(L, 1));
  if (lua_isnil(L, -1)) lua_pop(L, 2);
  return 1;
}

void split_modules(lua_State *L) {
  lua_pushlightuserdata(L, (void *)&own);
  lua_newtable(L);
  lua_rawset(L, LUA_REGISTRYINDEX);
  push_own_globals(L);
  lua_getfield(L, -1, "require");
  lua_pushcclosure(L, require_own, 1);
  lua_setfield(L, -2, "require");
  lua_pop(L, 1);
}
