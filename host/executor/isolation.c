/* A look costs some seventy system calls, so there is at most one in LOOK_MS, except that a task that fails is never
 * reported without one. */
#include "executor/isolation.h"

#include <lua.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "executor/finalizers.h"
#include "executor/surroundings.h"

enum { LOOK_MS = 20 };

struct isolation {
  struct surroundings *surroundings;
  uint64_t looked_at; /* uv_hrtime */
  uint64_t task;      /* that has run since then; 0: none has */
  bool mixed;         /* others have as well, or finalizers, which can be those of others */
  bool lost;          /* something could not be put back: the host replaces this executor */
};

struct isolation *isolation_new(void) {
  struct isolation *isolation = xcalloc(1, sizeof *isolation);
  isolation->surroundings = surroundings_note();
  return isolation;
}

void isolation_free(struct isolation *isolation) {
  if (!isolation) return;
  surroundings_free(isolation->surroundings);
  free(isolation);
}

static int collect(lua_State *L) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  return 0;
}

/* Files that nobody holds any more are closed by the collector. */
static bool lacks_files(struct runtime *runtime) {
  if (!surroundings_lack_files()) return false;
  if (lua_cpcall(runtime->L, collect, NULL) != 0) lua_pop(runtime->L, 1);
  return surroundings_lack_files();
}

static void report(struct runtime *runtime, uint64_t task, const struct buf *changed, const struct buf *lost) {
  struct buf payload = {0};
  buf_put_text(&payload, changed->data, changed->len);
  buf_put_text(&payload, lost->len ? lost->data : NULL, lost->len);
  buf_put_u8(&payload, !runtime->isolation->mixed);
  runtime_send(runtime, FRAME_CHANGED, task, &payload);
  buf_free(&payload);
}

static void look(struct runtime *runtime, uint64_t task, uint64_t now) {
  struct isolation *isolation = runtime->isolation;
  struct buf changed = {0}, lost = {0};
  surroundings_restore(isolation->surroundings, &changed, &lost);
  if (lacks_files(runtime)) {
    static const char files[] = "too many open files";
    buf_printf(&changed, "%s%s", changed.len ? ", " : "", files);
    buf_printf(&lost, "%s%s", lost.len ? ", " : "", files);
  }
  isolation->lost = lost.len > 0;
  if (changed.len) report(runtime, task, &changed, &lost);
  isolation->looked_at = now;
  isolation->task = 0;
  isolation->mixed = false;
  buf_free(&changed);
  buf_free(&lost);
}

void isolation_turn_over(struct runtime *runtime, uint64_t task) {
  static const uint64_t pause_ns = (uint64_t)LOOK_MS * 1000000;
  struct isolation *isolation = runtime->isolation;
  if (!isolation || isolation->lost) return;
  bool is_mixed = finalizers_have_run() || (isolation->task && isolation->task != task);
  isolation->mixed = isolation->mixed || is_mixed;
  isolation->task = task;
  uint64_t now = uv_hrtime();
  if (now - isolation->looked_at >= pause_ns) look(runtime, task, now);
}

void isolation_before_failure(struct runtime *runtime, uint64_t task) {
  struct isolation *isolation = runtime->isolation;
  if (isolation && !isolation->lost && isolation->task) look(runtime, task, uv_hrtime());
}
