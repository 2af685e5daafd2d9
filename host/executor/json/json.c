/* What both directions of the codec need from the Lua state. */
#include "executor/json/json.h"

#include <lauxlib.h>

/* Keeps field of the table on top. */
static int keep_field(lua_State *L, const char *field, int type) {
  lua_getfield(L, -1, field);
  if (lua_type(L, -1) != type) luaL_error(L, "the codec needs %s", field);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Keeps the constructor of a C type; ffi is on top. */
static int keep_ctype(lua_State *L, const char *name) {
  lua_getfield(L, -1, "typeof");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

void json_init(lua_State *L, struct json *json) {
  json->int64 = keep_ctype(L, "int64_t");  // [module, ffi]
  json->uint64 = keep_ctype(L, "uint64_t");
  json->istype = keep_field(L, "istype", LUA_TFUNCTION);
  lua_pop(L, 1);
  json->array_mt = keep_field(L, "array_mt", LUA_TTABLE);
  json->object_mt = keep_field(L, "object_mt", LUA_TTABLE);
  lua_pop(L, 1);
}
