/* LuaJIT calls every finalizer by lj_vm_pcall and raises its error again, in the middle of whatever has allocated. The
 * linker puts __wrap_lj_vm_pcall in that function's place (CMakeLists.txt), so that no way to set a finalizer passes
 * by. */
#include "executor/finalizers.h"

#include <stdio.h>

#include "base/utf8.h"

enum { COLLECTOR = -1 /* the error handler that only the collector names */, PAUSE_S = 60 };

static struct {
  struct pulse *pulse; /* NULL: not guarded */
  bool have_run;
  uint64_t errors;  /* not told yet */
  char first[512];  /* of these */
  uint64_t told_at; /* uv_hrtime; 0: never */
} finalizers;

int __real_lj_vm_pcall(lua_State *L, void *base, int results, ptrdiff_t handler);
int __wrap_lj_vm_pcall(lua_State *L, void *base, int results, ptrdiff_t handler);

/* Where the function at index is written; "" if it is not Lua. [] -> [] */
static void put_place(lua_State *L, int index, char place[PULSE_FINALIZER_MAX]) {
  lua_Debug function;
  *place = '\0';
  if (!lua_isfunction(L, index) || lua_iscfunction(L, index)) return;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &function);
  utf8_fit(place, PULSE_FINALIZER_MAX,
           snprintf(place, PULSE_FINALIZER_MAX, "%s:%d", function.short_src, function.linedefined));
  finalizers.have_run = true;
}

/* [error] -> [] */
static void note_error(lua_State *L) {
  struct text message = runtime_text(L, -1);
  if (!message.bytes) message = (struct text){.bytes = "an error that is not a string", .length = 29};
  if (finalizers.errors++ == 0)
    snprintf(finalizers.first, sizeof finalizers.first, "%.*s", (int)message.length, message.bytes);
  lua_pop(L, 1);
}

struct hook {
  lua_Hook function;
  int mask, count;
};

static struct hook hook_of(lua_State *L) {
  return (struct hook){lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
}

/* [finalizer, its value] -> [] */
static void call(lua_State *L) {
  char place[PULSE_FINALIZER_MAX];
  struct hook before = hook_of(L);
  put_place(L, -2, place);
  uint64_t outer = pulse_begin_finalizer(finalizers.pulse, place);
  if (lua_pcall(L, 1, 0, 0) != 0) note_error(L);
  pulse_end_finalizer(finalizers.pulse, outer);
  struct hook after = hook_of(L);
  if (after.function != before.function || after.mask != before.mask || after.count != before.count)
    lua_sethook(L, before.function, before.mask, before.count);
}

/* The collector's stack is [finalizer, nil, value], the nil being LuaJIT's own slot where it has 64-bit references. */
int __wrap_lj_vm_pcall(lua_State *L, void *base, int results, ptrdiff_t handler) {
  if (handler != COLLECTOR || !finalizers.pulse) return __real_lj_vm_pcall(L, base, results, handler);
  if (lua_isnil(L, -2)) lua_remove(L, -2);
  call(L);
  return 0;
}

void finalizers_guard(struct runtime *runtime) { finalizers.pulse = runtime->pulse; }

bool finalizers_have_run(void) {
  bool have_run = finalizers.have_run;
  finalizers.have_run = false;
  return have_run;
}

void finalizers_tell_errors(struct runtime *runtime) {
  static const uint64_t pause_ns = (uint64_t)PAUSE_S * 1000000000;
  if (finalizers.errors == 0) return;
  uint64_t now = uv_hrtime();
  if (finalizers.told_at && now - finalizers.told_at < pause_ns) return;
  struct buf message = {0};
  buf_printf(&message,
             "%llu finalizer(s) (__gc or ffi.gc) raised an error, which no task is charged for; mend them: the first "
             "was: %s",
             (unsigned long long)finalizers.errors, finalizers.first);
  runtime_log(runtime, 0, LOG_WARN, (struct text){.bytes = message.data, .length = message.len}, (struct text){0});
  buf_free(&message);
  finalizers.told_at = now;
  finalizers.errors = 0;
}
