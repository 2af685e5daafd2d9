/* Asks the server about them again and again. */
#include "worker/control/leftovers.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/complaint.h"
#include "worker/control/statements.h"

enum {
  ASK_MS = 20,          /* between two questions */
  ASK_SLOWLY_MS = 1000, /* about processes that do not go away */
  PATIENCE_MS = 5000
};

struct leftover {
  struct pg_backend backend;
  uint64_t seen_since; /* it was there after its termination; 0: not yet */
  bool given_up;       /* it is watched, and nobody waits for it */
};

struct leftovers {
  uv_timer_t timer;
  struct pg *pg;
  void (*settled)(void *owner);
  void *owner;
  struct log *log;
  struct leftover *list;
  int count, room;
  bool asking; /* the rest of the list came after the question */
  int asked;   /* how many of the list, from its beginning */
  bool failed; /* the last question */
  bool freed, timer_closed;
  struct complaint complaint;
};

static void free_when_done(struct leftovers *leftovers) {
  if (!leftovers->freed || leftovers->asking || !leftovers->timer_closed) return;
  free(leftovers->list);
  free(leftovers);
}

static void on_timer(uv_timer_t *timer);

static void ask_later(struct leftovers *leftovers) {
  bool slowly = leftovers->failed || leftovers_are_settled(leftovers);
  uv_timer_start(&leftovers->timer, on_timer, slowly ? ASK_SLOWLY_MS : ASK_MS, 0);
}

static bool is_in(const PGresult *result, int pid) {
  for (int row = 0; row < PQntuples(result); row++)
    if (atoi(PQgetvalue(result, row, 0)) == pid) return true;
  return false;
}

/* Nobody waits any longer for one that stays. */
static void look_at(struct leftovers *leftovers, struct leftover *leftover) {
  uint64_t now = uv_now(leftovers->timer.loop);
  if (!leftover->seen_since) leftover->seen_since = now;
  if (leftover->given_up || now - leftover->seen_since <= PATIENCE_MS) return;
  LOG(leftovers->log, LOG_WARN, "old_connection_stays", LOG_INT("pid", leftover->backend.pid),
      LOG_STR("hint", "its process on the server does not end: check whether it is stopped (SIGSTOP)"));
  leftover->given_up = true;
}

/* The result has those that are still there. */
static void take_answer(struct leftovers *leftovers, const PGresult *result) {
  int kept = 0;
  bool waited = !leftovers_are_settled(leftovers);
  for (int i = 0; i < leftovers->count; i++) {
    struct leftover *leftover = &leftovers->list[i];
    bool there = i >= leftovers->asked || is_in(result, leftover->backend.pid);
    if (there && i < leftovers->asked) look_at(leftovers, leftover);
    if (there) leftovers->list[kept++] = *leftover;
  }
  bool fewer = kept < leftovers->count;
  leftovers->count = kept;
  if (leftovers_are_settled(leftovers) && (waited || fewer)) leftovers->settled(leftovers->owner);
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct leftovers *leftovers = owner;
  leftovers->asking = false;
  leftovers->failed = err && *err->sqlstate;
  if (leftovers->freed) {
    free_when_done(leftovers);
    return;
  }
  if (err) {
    if (*err->sqlstate) complaint_log(&leftovers->complaint, leftovers->log, "old_connection_not_ended", err);
  } else {
    if (complaint_end(&leftovers->complaint)) LOG(leftovers->log, LOG_INFO, "ending_connections_works_again");
    take_answer(leftovers, pg_unit_result(unit, 0));
  }
  if (leftovers->count > 0) ask_later(leftovers);
}

static void on_timer(uv_timer_t *timer) {
  struct leftovers *leftovers = timer->data;
  if (leftovers->asking || leftovers->count == 0) return;
  if (!pg_is_ready(leftovers->pg)) {
    ask_later(leftovers);
    return;
  }
  struct pg_unit *unit = pg_unit_new(on_done, leftovers);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_TERMINATE]);
  struct pg_array *pids = pg_param_array(params, PG_INT4);
  struct pg_array *started = pg_param_array(params, PG_TEXT);
  for (int i = 0; i < leftovers->count; i++) {
    const struct pg_backend *backend = &leftovers->list[i].backend;
    pg_array_int4(pids, backend->pid);
    pg_array_text(started, backend->started, strlen(backend->started));
  }
  leftovers->asked = leftovers->count;
  leftovers->asking = true;
  pg_submit(leftovers->pg, unit);
}

struct leftovers *leftovers_new(uv_loop_t *loop, struct pg *pg, void (*settled)(void *owner), void *owner,
                                struct log *log) {
  struct leftovers *leftovers = xcalloc(1, sizeof *leftovers);
  *leftovers = (struct leftovers){.pg = pg, .settled = settled, .owner = owner, .log = log};
  uv_timer_init(loop, &leftovers->timer);
  leftovers->timer.data = leftovers;
  return leftovers;
}

void leftovers_add(struct leftovers *leftovers, struct pg_backend backend) {
  if (backend.pid == 0) return;
  if (leftovers->count == leftovers->room) {
    leftovers->room = leftovers->room ? leftovers->room * 2 : 4;
    leftovers->list = xrealloc(leftovers->list, (size_t)leftovers->room * sizeof *leftovers->list);
  }
  leftovers->list[leftovers->count++] = (struct leftover){.backend = backend};
  uv_timer_start(&leftovers->timer, on_timer, 0, 0);
}

bool leftovers_are_settled(const struct leftovers *leftovers) {
  for (int i = 0; i < leftovers->count; i++)
    if (!leftovers->list[i].given_up) return false;
  return true;
}

static void on_closed(uv_handle_t *handle) {
  struct leftovers *leftovers = handle->data;
  leftovers->timer_closed = true;
  free_when_done(leftovers);
}

void leftovers_free(struct leftovers *leftovers) {
  if (!leftovers) return;
  leftovers->freed = true;
  uv_close((uv_handle_t *)&leftovers->timer, on_closed);
}
