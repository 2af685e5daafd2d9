/* Frames, log lines and errors on behalf of all parts of the executor. */
#include "executor/runtime.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"

enum { BACKLOG_MAX = 4 << 20 /* a handler that logs faster than the host reads has to wait */ };

struct runtime *runtime_of(lua_State *L) {
  return lua_touserdata(L, lua_upvalueindex(1));
}

void runtime_end_copy(pid_t executor) {
  static const char message[] =
      "a handler forked, and the child returned to luaflow: luaflow ended the child; let it call exec or _exit\n";
  if (getpid() == executor) return;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(EXIT_FAILURE); /* nobody reads it */
  _exit(EXIT_FAILURE);
}

void runtime_send(struct runtime *runtime, enum frame_type type, uint64_t task, const struct buf *payload) {
  runtime_end_copy(runtime->pid);
  channel_send(runtime->channel, type, task, payload);
  while (!runtime->closed && channel_backlog(runtime->channel) > BACKLOG_MAX) uv_run(&runtime->loop, UV_RUN_ONCE);
}

void runtime_flush(struct runtime *runtime) {
  while (!runtime->closed && channel_backlog(runtime->channel) > 0) uv_run(&runtime->loop, UV_RUN_ONCE);
}

void runtime_listen(struct runtime *runtime) {
  static const uint64_t pause_ns = 10000000;
  uint64_t now = uv_hrtime();
  if (now - runtime->listened_at < pause_ns) return;
  runtime->listened_at = now;
  uv_run(&runtime->loop, UV_RUN_NOWAIT);
}

static void put_clean(struct buf *payload, struct text text, size_t limit) {
  struct buf clean = {0};
  if (text.bytes) utf8_clean(&clean, text.bytes, text.length, limit);
  buf_put_text(payload, text.bytes && clean.len == 0 ? "" : clean.data, clean.len);
  buf_free(&clean);
}

void runtime_put_clean(struct buf *payload, struct text text) { put_clean(payload, text, 0); }

void runtime_put_message(struct buf *payload, struct text text) { put_clean(payload, text, FRAME_MESSAGE_MAX); }

uint64_t runtime_task(const struct runtime *runtime) {
  const struct coroutine *task = sched_current(runtime->sched);
  return task ? task->number : 0;
}

void runtime_log(struct runtime *runtime, uint64_t task, enum log_level level, struct text message,
                 struct text fields) {
  struct buf payload = {0};
  buf_put_u8(&payload, (uint8_t)level);
  runtime_put_message(&payload, message);
  buf_put_text(&payload, fields.bytes, fields.length);
  runtime_send(runtime, FRAME_LOG, task, &payload);
  buf_free(&payload);
}

struct text runtime_text(lua_State *L, int index) {
  struct text text = {0};
  if (lua_type(L, index) == LUA_TSTRING) text.bytes = lua_tolstring(L, index, &text.length);
  return text;
}

void runtime_push_where(lua_State *L) {
  lua_Debug frame;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline <= 0 || strncmp(frame.source, "@luaflow/", 9) == 0) continue;
    lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

int runtime_error(lua_State *L, const char *format, ...) {
  char message[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  runtime_push_where(L);
  lua_pushstring(L, message);
  lua_concat(L, 2);
  return lua_error(L);
}

void runtime_require(lua_State *L, const char *name) {
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}
