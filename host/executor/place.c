/* LuaJIT's profiler is a safe way to stop at a line of code that is under way, compiled loops included: its signal
 * handler asks the virtual machine to call back at the next line. Its timer is never due; the host sends the signal. */
#include "executor/place.h"

#include <luajit.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static bool is_own(const lua_Debug *frame) {
  return frame->currentline <= 0 || strncmp(frame->source, "@luaflow/", 9) == 0;
}

static void put_place(lua_State *L, char *out, size_t size) {
  lua_Debug frame;
  int wanted;
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "nSl", &frame);
    if (is_own(&frame)) continue;
    if (frame.name)
      wanted = snprintf(out, size, "%s:%d, in function \"%s\"", frame.short_src, frame.currentline, frame.name);
    else
      wanted = snprintf(out, size, "%s:%d, in the function at line %d", frame.short_src, frame.currentline,
                        frame.linedefined);
    utf8_fit(out, size, wanted);
    return;
  }
}

static void on_sample(void *data, lua_State *L, int samples, int state) {
  struct runtime *runtime = data;
  uint64_t task = runtime_task(runtime);
  char place[PULSE_PLACE_MAX] = "";
  (void)samples;
  (void)state;
  if (task == 0) return;
  put_place(L, place, sizeof place);
  if (*place) pulse_set_place(runtime->pulse, task, place);
}

/* What handlers call, by the host's names of the calls that wait. */
static const char *user_call(const char *name) {
  static const char *const calls[][2] = {{"sleep", "ctx:sleep"},       {"query", "ctx:query"},
                                         {"tx_query", "ctx.tx:query"}, {"http", "http.request"},
                                         {"exec", "ctx:exec"},         {"flow_input", "ctx:flow_input"}};
  for (size_t i = 0; name && i < sizeof calls / sizeof *calls; i++)
    if (strcmp(name, calls[i][0]) == 0) return calls[i][1];
  return NULL;
}

/* Is the frame that of ctx:sleep(seconds), with so many seconds that they will have been meant as milliseconds? */
static bool is_long_sleep(lua_State *co, const lua_Debug *frame) {
  static const double long_s = 100;
  const char *name = lua_getlocal(co, frame, 2);
  if (!name) return false;
  bool is_long = strcmp(name, "seconds") == 0 && lua_type(co, -1) == LUA_TNUMBER && lua_tonumber(co, -1) >= long_s;
  lua_pop(co, 1);
  return is_long;
}

void place_of_wait(lua_State *co, struct buf *out) {
  lua_Debug frame;
  char place[LUA_IDSIZE + 16] = ""; /* a tail call leaves none */
  const char *call = NULL;
  bool is_long = false;
  for (int level = 0; lua_getstack(co, level, &frame); level++) {
    lua_getinfo(co, "nSl", &frame);
    if (is_own(&frame)) {
      if (!call) call = user_call(frame.name);
      is_long = is_long || is_long_sleep(co, &frame);
      continue;
    }
    snprintf(place, sizeof place, " at %s:%d", frame.short_src, frame.currentline);
    break;
  }
  if (call) buf_printf(out, ", waiting in %s%s%s", call, place, is_long ? " (it takes seconds, not milliseconds)" : "");
}

/* Code that ends the profiler, to use it itself, must not leave a signal that ends the process. */
void place_listen(struct runtime *runtime) {
  signal(SIGPROF, SIG_IGN);
  luaJIT_profile_start(runtime->L, "li2000000000", on_sample, runtime);
}
