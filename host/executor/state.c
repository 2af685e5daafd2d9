/* Opens the libraries and puts the executor's own parts in their places. */
#include "executor/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "executor/bind/bindings.h"
#include "executor/finalizers.h"
#include "executor/place.h"

/* Only errors outside every protected call come here, which are faults of this program or an exhausted memory. */
static int on_panic(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  say(stderr, "luaflow: executor: %s\n", message ? message : "error in Lua");
  abort();
}

/* [] -> [], with the host table as a loaded module and as a reference */
static void inject_host(lua_State *L, struct runtime *runtime) {
  lua_newtable(L);
  bind_plain(L, runtime);
  bind_sleep(L, runtime);
  bind_flow_input(L, runtime);
  bind_http(L, runtime);
  bind_exec(L, runtime);
  bind_query(L, runtime);
  lua_pushvalue(L, -1);
  runtime->host = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loaded");
  lua_pushvalue(L, -3);
  guard_module(L, "luaflow.host");
  lua_setfield(L, -2, "luaflow.host");
  lua_pop(L, 3);
}

static int set_up(lua_State *L) {
  struct runtime *runtime = lua_touserdata(L, 1);
  luaL_openlibs(L);
  replace_exit(L, runtime);
  if (runtime->mode == LOAD_FLOWS) {
    replace_print(L, runtime);
    replace_debug(L);
    copy_globals(L);
    split_modules(L);
  }
  searchers_install(L, runtime);
  inject_host(L, runtime);
  runtime_require(L, "luaflow.json");
  runtime_require(L, "ffi");
  json_init(L, &runtime->json);
  runtime_require(L, "luaflow.context");
  lua_getfield(L, -1, "new");
  runtime->new_context = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

bool state_open(struct runtime *runtime, struct err *err) {
  lua_State *L = luaL_newstate();
  if (!L) return err_set(err, ERR_BUG, EXIT_FAILED, "Lua: out of memory");
  lua_atpanic(L, on_panic);
  runtime->L = L;
  runtime->sched = sched_new(L, runtime->pulse);
  if (!state_protect(L, set_up, runtime, err)) return false;
  if (runtime->mode != LOAD_FLOWS) return true;
  place_listen(runtime);
  finalizers_guard(runtime);
  return true;
}

bool state_protect(lua_State *L, lua_CFunction function, void *data, struct err *err) {
  if (lua_cpcall(L, function, data) == 0) return true;
  const char *message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error that is not a string";
  err_set(err, ERR_CONFIG, EXIT_FAILED, "%s", message);
  lua_pop(L, 1);
  return false;
}

static const bool leaks_are_reported =
#ifdef __SANITIZE_ADDRESS__
    true; /* what C modules hold through Lua's memory would be among them */
#else
    false;
#endif

void state_leave(struct runtime *runtime) {
  if (leaks_are_reported && runtime->L) lua_close(runtime->L);
}

void state_exit(struct runtime *runtime, int code, bool close) {
  struct buf payload = {0};
  buf_put_i64(&payload, code);
  runtime_send(runtime, FRAME_EXIT, 0, &payload);
  buf_free(&payload);
  runtime_flush(runtime);
  if (close && runtime->L)
    lua_close(runtime->L);
  else
    state_leave(runtime);
  exit(code);
}
