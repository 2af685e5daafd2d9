/* What the parts of one executor share. Owned by executor_main; bindings reach it through their first upvalue. All Lua
 * code runs outside libuv's callbacks, which only note what happened, so a binding may turn the loop. */
#ifndef LUAFLOW_EXECUTOR_RUNTIME_H
#define LUAFLOW_EXECUTOR_RUNTIME_H

#include <lua.h>
#include <stdbool.h>
#include <uv.h>

#include "base/channel.h"
#include "base/log.h"
#include "base/pulse.h"
#include "executor/json/json.h"
#include "executor/modules.h"
#include "executor/sched.h"

struct runtime {
  pid_t pid; /* of the executor itself */
  uv_loop_t loop;
  uv_signal_t children; /* keeps SIGCHLD's action the same whether ctx:exec runs programs or not */
  struct channel *channel;
  struct pulse *pulse;  /* names the task on whose behalf Lua runs */
  bool closed;          /* the host has ended */
  bool ended;           /* the script has ended, with exit_code */
  bool stopping;        /* the worker drains */
  uint64_t listened_at; /* by runtime_listen; uv_hrtime */
  int exit_code;

  /* From LOAD on: */
  enum load_mode mode; /* LOAD_FLOWS or LOAD_SCRIPT */
  bool development;
  bool types;              /* LOADED has definitions for editors */
  size_t max_output;       /* bytes */
  char *root;              /* owned; absolute folder */
  struct modules *modules; /* owned; NULL for a script */
  lua_State *L;            /* owned; the main state */
  struct json json;
  struct sched *sched;         /* owned */
  struct isolation *isolation; /* owned; NULL: nothing is kept from anybody, as in a script */
  struct http_client *http;    /* owned; NULL until the first request */
  /* References in L's registry. */
  int host;        /* the injected table */
  int handlers;    /* loader's result: flow -> step -> record */
  int run;         /* luaflow.run's run */
  int new_context; /* luaflow.context's new */
};

/* The runtime of a closure made with it as first upvalue. */
struct runtime *runtime_of(lua_State *L);

/* Sends a frame. Waits for the host to read while very much is unread, so call it outside libuv's callbacks. */
void runtime_send(struct runtime *runtime, enum frame_type type, uint64_t task, const struct buf *payload);

/* Ends this process if it is not the given one but a copy of it, which a handler has forked: only one may use the
 * channel. */
void runtime_end_copy(pid_t executor);

/* Waits until the host has received everything sent, or has ended. */
void runtime_flush(struct runtime *runtime);

/* Takes in what the host has sent, without waiting, if that was not done within the last milliseconds: for a handler
 * that asks again and again and never yields. */
void runtime_listen(struct runtime *runtime);

/* Appends text with whatever Postgres cannot store replaced; the null text stays null. */
void runtime_put_clean(struct buf *payload, struct text text);
/* The same, cut to FRAME_MESSAGE_MAX. */
void runtime_put_message(struct buf *payload, struct text text);

/* Number of the task whose handler runs; 0 outside. */
uint64_t runtime_task(const struct runtime *runtime);

/* Sends a log line of a task, or of none if it is 0. fields is JSON text or null. */
void runtime_log(struct runtime *runtime, uint64_t task, enum log_level level, struct text message, struct text fields);

/* The bytes of the string at index; null for anything else. Valid while the string is on the stack. */
struct text runtime_text(lua_State *L, int index);

/* Pushes "file:line: " of the nearest function of L's stack that is not luaflow's own. [] -> [text] */
void runtime_push_where(lua_State *L);

/* Raises with the position of the nearest function that is not luaflow's own. */
int runtime_error(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Pushes the module that require gives. Raises. */
void runtime_require(lua_State *L, const char *name);

#endif
