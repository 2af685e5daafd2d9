/* host.flow_input(): the run's input. It came with the task, or the host is asked for it once and the task waits. */
#include <lauxlib.h>

#include "base/xalloc.h"
#include "executor/bind/bindings.h"

/* Nothing to cancel: an answer for a task that has ended finds no task. */
static void cleanup(void *waiting) { (void)waiting; }

/* Pushes true and the value, or false and a message. What resumes a coroutine cannot raise in it, so the Lua wrapper
 * below does. */
static int push_input(lua_State *L, struct runtime *runtime, const struct coroutine *task) {
  lua_pushboolean(L, json_decode(L, &runtime->json, task->flow_input, task->flow_input_length, "flow_input"));
  lua_insert(L, -2);
  return 2;
}

static int entry(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  struct coroutine *task = sched_current(runtime->sched);
  if (task && task->flow_input) return push_input(L, runtime, task);
  if (runtime->mode == LOAD_SCRIPT) return runtime_error(L, "flow_input: a script does not belong to a run");
  task = sched_check_wait(runtime->sched, L, "flow_input");
  runtime_send(runtime, FRAME_FLOW_INPUT, task->number, NULL);
  sched_wait(task, cleanup, NULL);
  return lua_yield(L, 0);
}

struct answer {
  struct runtime *runtime;
  struct coroutine *task;
  struct text error;
};

/* [] -> [answer's two values, moved to the task's coroutine] */
static int deliver(lua_State *L) {
  struct answer *answer = lua_touserdata(L, 1);
  if (answer->error.bytes) {
    lua_pushboolean(L, false);
    lua_pushlstring(L, answer->error.bytes, answer->error.length);
  } else {
    push_input(L, answer->runtime, answer->task);
  }
  lua_xmove(L, answer->task->co, 2);
  return 0;
}

void flow_input_reply(struct runtime *runtime, uint64_t number, struct text input, struct text error) {
  struct coroutine *task = sched_find(runtime->sched, number);
  if (!task || task->cleanup != cleanup) return;
  if (input.bytes) {
    task->flow_input = xmemdup(input.bytes, input.length);
    task->flow_input_length = input.length;
  } else if (!error.bytes) {
    error = (struct text){.bytes = "the run's input does not exist any more",
                          .length = sizeof "the run's input does not exist any more" - 1};
  }
  struct answer answer = {.runtime = runtime, .task = task, .error = error};
  pulse_begin(runtime->pulse, number);
  int status = lua_cpcall(runtime->L, deliver, &answer);
  pulse_end(runtime->pulse);
  if (status != 0) {
    lua_xmove(runtime->L, task->co, 1);  // [message]
    lua_pushboolean(task->co, false);
    lua_insert(task->co, -2);
  }
  sched_wake(task, 2);
}

/* refuse(message): raises it with the place of the handler's call. */
static int refuse(lua_State *L) { return runtime_error(L, "%s", luaL_checkstring(L, 1)); }

static const char wrapper[] =
    "local ask, refuse = ...\n"
    "return function()\n"
    "  local good, value = ask()\n"
    "  if good then return value end\n"
    "  refuse(value)\n"
    "end\n";

void bind_flow_input(lua_State *L, struct runtime *runtime) {
  if (luaL_loadbuffer(L, wrapper, sizeof wrapper - 1, "@luaflow/flow_input.lua") != 0) lua_error(L);
  lua_pushlightuserdata(L, runtime);
  lua_pushcclosure(L, entry, 1);
  lua_pushcfunction(L, refuse);
  lua_call(L, 2, 1);
  lua_setfield(L, -2, "flow_input");
}
