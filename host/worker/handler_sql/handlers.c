/* Finds the query or the transaction of a task, and owns them all. */
#include "worker/handler_sql/handlers.h"

#include <stdlib.h>
#include <uthash.h>

#include "base/xalloc.h"
#include "worker/handler_sql/handler_pool.h"
#include "worker/handler_sql/handler_query.h"
#include "worker/handler_sql/handler_tx.h"

enum {
  LOOK_MS = 100,
  AT_ONCE = 3, /* restarts without a pause; then one of PAUSE_MS, each twice as long */
  PAUSE_MS = 100,
  PAUSE_STEPS = 4
};

/* What one task has here. */
struct errand {
  uint64_t number;
  struct handlers *handlers;
  struct handler_query *query; /* NULL unless it waits for one */
  struct handler_tx *tx;       /* NULL unless it has begun one */
  struct task *paused;         /* owned; its handler is to run again */
  uint64_t due;                /* when */
  UT_hash_handle hh;
};

struct handlers {
  uv_loop_t *loop;
  struct handlers_options options;
  struct handlers_events events;
  void *owner;
  struct log *log;
  struct pg *control;        /* NULL: there is none to compare with */
  struct handler_side *side; /* NULL where the control connection serves */
  struct handler_pool *pool;
  struct errand *errands; /* hash by number */
  int taken;              /* tasks */
  uv_timer_t look;        /* runs while there are tasks taken over */
};

static struct errand *find(const struct handlers *handlers, uint64_t number) {
  struct errand *errand;
  HASH_FIND(hh, handlers->errands, &number, sizeof number, errand);
  return errand;
}

static struct errand *find_or_add(struct handlers *handlers, uint64_t number) {
  struct errand *errand = find(handlers, number);
  if (errand) return errand;
  errand = xcalloc(1, sizeof *errand);
  errand->number = number;
  errand->handlers = handlers;
  HASH_ADD(hh, handlers->errands, number, sizeof errand->number, errand);
  return errand;
}

static void drop_if_done(struct errand *errand) {
  if (errand->query || errand->tx || errand->paused) return;
  HASH_DEL(errand->handlers->errands, errand);
  free(errand);
}

/* ---- queries ---- */

static void on_query_done(void *owner, struct handler_query *query, const struct buf *payload) {
  struct errand *errand = owner;
  struct handlers *handlers = errand->handlers;
  uint64_t number = errand->number;
  (void)query;
  errand->query = NULL;
  drop_if_done(errand);
  handlers->events.reply(handlers->owner, number, payload);
}

/* ---- transactions ---- */

static void on_tx_reply(void *owner, struct handler_tx *tx, const struct buf *payload) {
  struct errand *errand = owner;
  (void)tx;
  errand->handlers->events.reply(errand->handlers->owner, errand->number, payload);
}

/* As long as the attempt's time lasts; else it has failed. */
static void restart(struct handlers *handlers, struct task *task) {
  if (uv_now(handlers->loop) >= task->deadline_ms)
    handlers->events.settled(handlers->owner, task);
  else
    handlers->events.restart(handlers->owner, task);
}

/* A conflict that comes again and again is given time. */
static bool pauses(struct errand *errand, struct task *task) {
  int step = task->restarts++ - AT_ONCE;
  if (step < 0) return false;
  errand->paused = task;
  errand->due = uv_now(errand->handlers->loop) + ((uint64_t)PAUSE_MS << (step < PAUSE_STEPS ? step : PAUSE_STEPS));
  return true;
}

static void end_pause(struct errand *errand) {
  struct handlers *handlers = errand->handlers;
  struct task *task = errand->paused;
  errand->paused = NULL;
  drop_if_done(errand);
  handlers->taken--;
  restart(handlers, task);
}

static void on_tx_ended(void *owner, struct handler_tx *tx, enum handler_tx_end end, struct task *task) {
  struct errand *errand = owner;
  struct handlers *handlers = errand->handlers;
  (void)tx;
  errand->tx = NULL;
  if (task && end == HANDLER_TX_RESTART && pauses(errand, task)) return;
  drop_if_done(errand);
  if (!task) return;
  handlers->taken--;
  switch (end) {
    case HANDLER_TX_COMMITTED:
      handlers->events.completed(handlers->owner, task);
      return;
    case HANDLER_TX_STALE:
      handlers->events.stale(handlers->owner, task);
      return;
    case HANDLER_TX_RESTART:
      restart(handlers, task);
      return;
    case HANDLER_TX_SETTLED:
      handlers->events.settled(handlers->owner, task);
      return;
  }
}

static struct handler_tx *tx_of(struct errand *errand, const struct task *task) {
  static const struct handler_tx_events events = {.reply = on_tx_reply, .ended = on_tx_ended};
  struct handlers *handlers = errand->handlers;
  if (!errand->tx)
    errand->tx = handler_tx_new(handlers->pool, task, handlers->options.max_output, &events, errand, handlers->log);
  return errand->tx;
}

/* ---- what the owner asks for ---- */

bool handlers_query(struct handlers *handlers, uint64_t number, const struct task *task, struct cursor *payload) {
  struct handler_statement statement;
  bool inside = cursor_u8(payload) == 1;
  struct errand *errand = find_or_add(handlers, number);
  bool asked = errand->query || (errand->tx && handler_tx_is_asked(errand->tx));
  bool good = handler_statement_read(&statement, payload) && !asked && (!inside || task);
  if (!good)
    handler_statement_free(&statement);
  else if (inside)
    handler_tx_query(tx_of(errand, task), &statement);
  else
    errand->query =
        handler_query_start(handlers->pool, &statement, handlers->options.max_output, on_query_done, errand);
  if (!good) drop_if_done(errand);
  return good;
}

static void end_query(struct errand *errand) {
  if (errand->query) handler_query_end(errand->query);
  errand->query = NULL;
}

static void on_look(uv_timer_t *timer) {
  struct handlers *handlers = timer->data;
  struct errand *errand, *next;
  uint64_t now = uv_now(handlers->loop);
  HASH_ITER(hh, handlers->errands, errand, next) {
    if (errand->tx)
      handler_tx_look(errand->tx, now);
    else if (errand->paused && (now >= errand->due || now >= errand->paused->deadline_ms))
      end_pause(errand);
  }
  if (handlers->taken == 0) uv_timer_stop(timer);
}

bool handlers_settle(struct handlers *handlers, struct task *task) {
  struct errand *errand = find(handlers, task->number);
  bool completes = task->transaction && task->verdict == VERDICT_COMPLETED;
  if (errand && errand->query && task->overdue && task->verdict == VERDICT_FAILED)
    handler_query_explain(errand->query, task);
  if (errand) end_query(errand);
  if (completes || (errand && errand->tx)) {
    errand = find_or_add(handlers, task->number);
    handlers->taken++;
    if (!uv_is_active((uv_handle_t *)&handlers->look)) uv_timer_start(&handlers->look, on_look, LOOK_MS, LOOK_MS);
    handler_tx_settle(tx_of(errand, task), task);
    return true;
  }
  if (errand) drop_if_done(errand);
  return false;
}

void handlers_forget(struct handlers *handlers, uint64_t number) {
  struct errand *errand = find(handlers, number);
  if (!errand) return;
  end_query(errand);
  if (errand->tx)
    handler_tx_drop(errand->tx);
  else
    drop_if_done(errand);
}

int handlers_count(const struct handlers *handlers) { return handlers->taken; }

void handlers_each(const struct handlers *handlers, void (*visit)(void *owner, const struct task *task), void *owner) {
  for (const struct errand *errand = handlers->errands; errand; errand = errand->hh.next) {
    const struct task *task = errand->tx ? handler_tx_task(errand->tx) : errand->paused;
    if (task) visit(owner, task);
  }
}

void handlers_old_is_gone(struct handlers *handlers) { handler_pool_old_is_gone(handlers->pool); }

void handlers_look_home(struct handlers *handlers) {
  if (handlers->side) handler_side_look_home(handlers->side);
  handler_pool_look_home(handlers->pool);
}

/* ---- the whole ---- */

static void on_side_settled(void *owner) { handlers_old_is_gone(owner); }

static void on_side_checked(void *owner) {
  struct handlers *handlers = owner;
  handlers->events.checked(handlers->owner);
}

static bool on_side_needed(void *owner) {
  const struct handlers *handlers = owner;
  return handler_pool_is_used(handlers->pool);
}

static void on_side_found(void *owner, bool same) {
  struct handlers *handlers = owner;
  handler_pool_pin(handlers->pool, same ? handlers->control : NULL);
}

static void on_side_refused(void *owner, const struct err *err) {
  struct handlers *handlers = owner;
  handlers->events.refused(handlers->owner, err);
}

enum handler_reach handlers_reach(const struct handlers *handlers, struct err *err) {
  return handlers->side ? handler_side_reach(handlers->side, err) : HANDLER_REACH_HOME;
}

static bool open_side(struct handlers *handlers, struct err *err) {
  static const struct handler_side_events events = {.settled = on_side_settled,
                                                    .needed = on_side_needed,
                                                    .checked = on_side_checked,
                                                    .found = on_side_found,
                                                    .refused = on_side_refused};
  const struct handlers_options *options = &handlers->options;
  handlers->side = handler_side_new(handlers->loop, options->conninfo, options->source, options->application_name,
                                    handlers->control, &events, handlers, handlers->log, err);
  return handlers->side != NULL;
}

struct handlers *handlers_new(uv_loop_t *loop, const struct handlers_options *options, struct pg *control,
                              struct leftovers *leftovers, const struct handlers_events *events, void *owner,
                              struct log *log, struct err *err) {
  struct handlers *handlers = xcalloc(1, sizeof *handlers);
  *handlers = (struct handlers){
      .loop = loop, .options = *options, .events = *events, .owner = owner, .log = log, .control = control};
  if (!leftovers && !open_side(handlers, err)) {
    free(handlers);
    return NULL;
  }
  const struct handler_pool_options pool = {.conninfo = options->conninfo,
                                            .source = options->source,
                                            .application_name = options->application_name,
                                            .connections = options->connections,
                                            .patient = options->patient,
                                            .troubles = options->troubles};
  struct handler_side *side = handlers->side;
  handlers->pool = handler_pool_new(loop, &pool, side ? handler_side_pg(side) : control,
                                    side ? handler_side_leftovers(side) : leftovers, log);
  if (!side) handler_pool_pin(handlers->pool, control);
  uv_timer_init(loop, &handlers->look);
  handlers->look.data = handlers;
  return handlers;
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void handlers_close(struct handlers *handlers) {
  struct errand *errand, *next;
  if (!handlers) return;
  handler_pool_close(handlers->pool);
  HASH_ITER(hh, handlers->errands, errand, next) {
    HASH_DEL(handlers->errands, errand);
    if (errand->query) handler_query_free(errand->query);
    if (errand->tx) handler_tx_free(errand->tx);
    if (errand->paused) task_free(errand->paused);
    free(errand);
  }
  handler_side_close(handlers->side);
  uv_close((uv_handle_t *)&handlers->look, on_closed);
}
