/* Builds the call of luaflow.run's task(host, record, ctx, input) and turns the outcome that it returns into frames. */
#include "executor/task.h"

#include <lauxlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "executor/isolation.h"

struct start {
  struct runtime *runtime;
  struct coroutine *task; /* NULL until created */
  bool unreadable;        /* the input, whatever is tried */
  uint64_t number;
  struct text flow_slug, step_slug, run_id, queue, worker_id, input, flow_input;
  int64_t task_index, attempt, max_attempts;
  double deadline;
};

static void send_result(struct runtime *runtime, uint64_t number, enum outcome outcome, struct text output,
                        struct text message, struct text detail, double delay) {
  struct buf payload = {0};
  if (outcome == OUTCOME_FAILED || outcome == OUTCOME_PERMANENT) isolation_before_failure(runtime, number);
  buf_put_u8(&payload, (uint8_t)outcome);
  buf_put_text(&payload, output.bytes, output.length);
  runtime_put_message(&payload, message);
  runtime_put_message(&payload, detail);
  buf_put_f64(&payload, delay);
  runtime_send(runtime, FRAME_RESULT, number, &payload);
  buf_free(&payload);
}

/* The error on top of L's stack becomes the result of an attempt that failed, possibly permanently. [error] -> [] */
static void send_error(struct runtime *runtime, uint64_t number, enum outcome outcome, lua_State *L) {
  static const char unknown[] = "an error that is not a string";
  struct text message = runtime_text(L, -1);
  if (!message.bytes) message = (struct text){.bytes = unknown, .length = sizeof unknown - 1};
  send_result(runtime, number, outcome, (struct text){0}, message, (struct text){0}, -1);
  lua_pop(L, 1);
}

struct ending {
  struct runtime *runtime;
  struct coroutine *task;
};

/* [] -> [field, which stays to keep its text alive] */
static struct text push_text_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  return runtime_text(L, -1);
}

static bool outcome_parse(struct text name, enum outcome *outcome) {
  static const char *const names[] = {[OUTCOME_COMPLETED] = "completed",
                                      [OUTCOME_FAILED] = "failed",
                                      [OUTCOME_PERMANENT] = "permanent",
                                      [OUTCOME_SNOOZED] = "snoozed"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (name.length != strlen(names[i]) || memcmp(name.bytes, names[i], name.length) != 0) continue;
    *outcome = (enum outcome)i;
    return true;
  }
  return false;
}

/* [task's results] -> RESULT frame, after a LOG frame with the traceback if there is one */
static int report(lua_State *L) {
  struct ending *ending = lua_touserdata(L, 1);
  enum outcome outcome;
  lua_settop(L, 0);
  lua_settop(ending->task->co, 1);
  lua_xmove(ending->task->co, L, 1);  // [outcome]
  luaL_checktype(L, 1, LUA_TTABLE);
  if (!outcome_parse(push_text_field(L, 1, "outcome"), &outcome))
    return luaL_error(L, "luaflow.run returned no outcome");
  struct text output = push_text_field(L, 1, "output"), message = push_text_field(L, 1, "message");
  struct text traceback = push_text_field(L, 1, "traceback"), detail = push_text_field(L, 1, "detail");
  lua_getfield(L, 1, "delay");
  double delay = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : -1;
  if (traceback.bytes) runtime_log(ending->runtime, ending->task->number, LOG_ERROR, traceback, (struct text){0});
  send_result(ending->runtime, ending->task->number, outcome, output, message, detail, delay);
  return 0;
}

static void on_ended(struct coroutine *task, enum coroutine_end end) {
  struct ending ending = {.runtime = task->owner, .task = task};
  lua_State *L = ending.runtime->L;
  if (end == COROUTINE_RETURNED && lua_cpcall(L, report, &ending) == 0) return;
  send_error(ending.runtime, task->number, OUTCOME_FAILED, end == COROUTINE_RAISED ? task->co : L);
}

static void put_text(lua_State *L, const char *name, struct text text) {
  lua_pushlstring(L, text.bytes ? text.bytes : "", text.length);
  lua_setfield(L, -2, name);
}

static void put_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}

/* [] -> [table of the context's fields] */
static void push_fields(lua_State *L, const struct start *start) {
  lua_createtable(L, 0, 11);
  put_number(L, "number", (double)start->number);
  put_text(L, "run_id", start->run_id);
  put_text(L, "flow_slug", start->flow_slug);
  put_text(L, "step_slug", start->step_slug);
  put_text(L, "queue", start->queue);
  put_text(L, "worker_id", start->worker_id);
  put_number(L, "task_index", (double)start->task_index);
  put_number(L, "attempt", (double)start->attempt);
  put_number(L, "max_attempts", (double)start->max_attempts);
  put_number(L, "deadline", start->deadline);
}

/* [] -> [handler's record], or raises */
static void push_record(lua_State *L, const struct start *start) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, start->runtime->handlers);
  lua_pushlstring(L, start->flow_slug.bytes, start->flow_slug.length);
  lua_rawget(L, -2);
  if (lua_istable(L, -1)) {
    lua_pushlstring(L, start->step_slug.bytes, start->step_slug.length);
    lua_rawget(L, -2);
    lua_replace(L, -3);
    lua_pop(L, 1);
  }
  if (lua_istable(L, -1)) return;
  lua_pushlstring(L, start->flow_slug.bytes, start->flow_slug.length);
  lua_pushlstring(L, start->step_slug.bytes, start->step_slug.length);
  luaL_error(L, "no handler for step \"%s\" of flow \"%s\" is loaded", lua_tostring(L, -1), lua_tostring(L, -2));
}

/* Makes the task with [task, host, record, ctx, input] on its coroutine. */
static int prepare(lua_State *L) {
  struct start *start = lua_touserdata(L, 1);
  struct runtime *runtime = start->runtime;
  lua_settop(L, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, runtime->run);
  lua_rawgeti(L, LUA_REGISTRYINDEX, runtime->host);
  push_record(L, start);
  lua_rawgeti(L, LUA_REGISTRYINDEX, runtime->new_context);
  lua_pushvalue(L, 2);
  push_fields(L, start);  // [task, host, record, new, host, fields]
  lua_getfield(L, 3, "transaction");
  lua_setfield(L, -2, "transaction");
  lua_call(L, 2, 1);
  start->unreadable = !json_decode(L, &runtime->json, start->input.bytes, start->input.length, "input");
  if (start->unreadable) return lua_error(L);
  start->task = sched_add(runtime->sched, start->number, on_ended);
  lua_xmove(L, start->task->co, 5);
  return 0;
}

static bool parse(struct start *start, struct cursor *payload) {
  start->flow_slug = cursor_text(payload);
  start->step_slug = cursor_text(payload);
  start->run_id = cursor_text(payload);
  start->task_index = cursor_i64(payload);
  start->attempt = cursor_i64(payload);
  start->max_attempts = cursor_i64(payload);
  start->queue = cursor_text(payload);
  start->worker_id = cursor_text(payload);
  start->deadline = cursor_f64(payload);
  start->input = cursor_text(payload);
  bool is_root = cursor_u8(payload);
  start->flow_input = cursor_text(payload);
  if (is_root) start->flow_input = start->input;
  return !payload->bad && start->flow_slug.bytes && start->step_slug.bytes && start->input.bytes;
}

bool task_start(struct runtime *runtime, uint64_t number, struct cursor *payload) {
  struct start start = {.runtime = runtime, .number = number};
  lua_State *L = runtime->L;
  if (!parse(&start, payload)) return false;
  pulse_begin(runtime->pulse, number);
  int status = lua_cpcall(L, prepare, &start);
  pulse_end(runtime->pulse);
  if (status != 0) {
    if (start.task) sched_abandon(start.task);
    send_error(runtime, number, start.unreadable ? OUTCOME_PERMANENT : OUTCOME_FAILED, L);
    return true;
  }
  start.task->owner = runtime;
  if (start.flow_input.bytes) {
    start.task->flow_input = xmemdup(start.flow_input.bytes, start.flow_input.length);
    start.task->flow_input_length = start.flow_input.length;
  }
  sched_ready(start.task, 4);
  return true;
}
