/* host.exec(request): the task waits for a program. request: args (the program first), env (a list of NAME=VALUE),
 * input?, timeout? (seconds). Returns { code?, signal?, stdout, stderr } or nil, kind, reason. What is checked before
 * is lua/luaflow/exec.lua. */
#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "executor/bind/bindings.h"
#include "executor/bind/program.h"

/* A userdata of the task's coroutine. */
struct call {
  struct program *program; /* NULL until it was started */
  struct coroutine *task;
  struct runtime *runtime;
};

static int free_call(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  if (call->program) program_release(call->program);
  call->program = NULL;
  return 0;
}

static void cleanup(void *waiting) {
  const struct call *call = waiting;
  program_forget(call->program);
}

static void ended(void *owner) {
  const struct call *call = owner;
  sched_wake(call->task, 0);
  uv_stop(&call->runtime->loop); /* it may come from a timer: the turn would go on to wait */
}

/* The strings of a list of the request, up to a NULL, in a userdata that keeps the array. [] -> [list, userdata] */
static char **push_strings(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  luaL_checktype(L, -1, LUA_TTABLE);
  size_t count = lua_objlen(L, -1);
  char **strings = lua_newuserdata(L, (count + 1) * sizeof *strings);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, -2, (int)i + 1);
    strings[i] = (char *)luaL_checkstring(L, -1); /* kept by the list */
    lua_pop(L, 1);
  }
  strings[count] = NULL;
  return strings;
}

/* start(request) -> call; the program may have failed already */
static int start(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  struct coroutine *task = sched_check_wait(runtime->sched, L, "ctx:exec");
  lua_settop(L, 1);
  char **arguments = push_strings(L, "args"), **environment = push_strings(L, "env");
  lua_getfield(L, 1, "input");
  lua_getfield(L, 1, "timeout");
  struct text input = runtime_text(L, -2);
  double timeout = lua_tonumber(L, -1);
  struct call *call = lua_newuserdata(L, sizeof *call);
  *call = (struct call){.task = task, .runtime = runtime};
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  call->program = program_start(&runtime->loop, arguments, environment, input.bytes, input.length,
                                timeout > 0 ? (uint64_t)(timeout * 1000 + 0.999) : 0, runtime->max_output, ended, call);
  return 1;
}

/* wait(call): the task waits, unless there is nothing to wait for. */
static int wait_for(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  if (!call->program->ended) return 0;
  sched_wait(call->task, cleanup, call);
  return lua_yield(L, 0);
}

static const char *kind_of(const struct program *program) {
  switch (program->failure) {
    case PROGRAM_TIMED_OUT:
      return "timeout";
    case PROGRAM_TOO_LARGE:
      return "too_large";
    case PROGRAM_GOOD:
    case PROGRAM_NOT_STARTED:
      break;
  }
  if (program->error == ENOENT || program->error == ENOTDIR) return "not_found";
  return program->error == EACCES || program->error == EPERM ? "permission" : "failed";
}

/* [] -> [nil, kind, reason] */
static int push_failure(lua_State *L, const struct call *call) {
  const struct program *program = call->program;
  lua_pushnil(L);
  lua_pushstring(L, kind_of(program));
  if (program->failure == PROGRAM_TOO_LARGE)
    lua_pushfstring(L, "it wrote more than %f bytes (--max-output) and was killed", (double)program->limit);
  else
    lua_pushstring(L, program->failure == PROGRAM_TIMED_OUT ? "it was killed" : strerror(program->error));
  return 3;
}

static void put_text(lua_State *L, const char *name, const struct buf *text) {
  lua_pushlstring(L, text->data ? text->data : "", text->len);
  lua_setfield(L, -2, name);
}

/* take(call) -> what the wrapper returns */
static int take(lua_State *L) {
  const struct call *call = lua_touserdata(L, 1);
  const struct program *program = call->program;
  if (program->failure != PROGRAM_GOOD) return push_failure(L, call);
  lua_createtable(L, 0, 4);
  if (program->signal) {
    const char *name = sigabbrev_np(program->signal);
    if (name)
      lua_pushfstring(L, "SIG%s", name);
    else
      lua_pushfstring(L, "signal %d", program->signal);
    lua_setfield(L, -2, "signal");
  } else {
    lua_pushnumber(L, (double)program->code);
    lua_setfield(L, -2, "code");
  }
  put_text(L, "stdout", &program->texts[PROGRAM_OUTPUT]);
  put_text(L, "stderr", &program->texts[PROGRAM_ERRORS]);
  return 1;
}

static const char wrapper[] =
    "local start, wait, take = ...\n"
    "return function(request)\n"
    "  local call = start(request)\n"
    "  wait(call)\n"
    "  return take(call)\n"
    "end\n";

void bind_exec(lua_State *L, struct runtime *runtime) {
  if (luaL_loadbuffer(L, wrapper, sizeof wrapper - 1, "@luaflow/exec_wrapper.lua") != 0) lua_error(L);
  lua_pushlightuserdata(L, runtime);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_call);
  lua_setfield(L, -2, "__gc");
  lua_pushcclosure(L, start, 2);
  lua_pushcfunction(L, wait_for);
  lua_pushcfunction(L, take);
  lua_call(L, 3, 1);
  lua_setfield(L, -2, "exec");
}
