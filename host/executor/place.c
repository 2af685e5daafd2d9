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

/* Code that ends the profiler, to use it itself, must not leave a signal that ends the process. */
void place_listen(struct runtime *runtime) {
  signal(SIGPROF, SIG_IGN);
  luaJIT_profile_start(runtime->L, "li2000000000", on_sample, runtime);
}
