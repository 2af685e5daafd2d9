/* The table of states, and what connects the parts of a worker. */
#include "worker/lifecycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "worker/control/flow_input.h"
#include "worker/lifecycle_inside.h"
#include "worker/tell_dev.h"

static const struct {
  const char *name;
  unsigned moves;
} states[] = {
#define IN(name) (1u << LIFECYCLE_##name)
#define X(name, text, moves) {text, moves},
    LIFECYCLE_STATES(X)
#undef X
#undef IN
};

void lifecycle_set_state(struct lifecycle *lifecycle, enum lifecycle_state state) {
  CHECK(states[lifecycle->state].moves & (1u << state));
  LOG(lifecycle->log, LOG_DEBUG, "worker_state", LOG_STR("from", states[lifecycle->state].name),
      LOG_STR("to", states[state].name));
  lifecycle->state = state;
}

/* ---- the pool ---- */

bool lifecycle_tell_queues(const struct lifecycle *lifecycle, const struct load_report *report) {
  char *queues = load_report_queues(report);
  bool told = tell_dev(lifecycle->options->dev, TELL_DEV_QUEUES, queues);
  if (!told && lifecycle->options->dev >= 0)
    LOG(lifecycle->log, LOG_WARN, "queues_not_told", LOG_STR("error", strerror(errno)));
  free(queues);
  return told;
}

static void on_loaded(void *owner, struct generation *generation) {
  struct lifecycle *lifecycle = owner;
  lifecycle_tell_queues(lifecycle, pool_report(generation));
  if (lifecycle->serving)
    reload_loaded(lifecycle, generation);
  else
    startup_loaded(lifecycle, generation);
}

static void on_not_loaded(void *owner, struct generation *generation, const struct load_report *report,
                          const struct err *err) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->serving)
    reload_not_loaded(lifecycle, generation, report, err);
  else
    startup_not_loaded(lifecycle, report, err);
}

/* A reload may wait for that to begin; one that is under way may be in the middle of its switch. */
static void on_gone(void *owner) {
  struct lifecycle *lifecycle = owner;
  if (!lifecycle->closing && lifecycle->reload.state == RELOAD_IDLE) reload_go_on(lifecycle);
}

static void on_settled(void *owner, struct task *task) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->closing)
    task_free(task); /* nobody records it any more; see drain.c */
  else if (!lifecycle->handlers || !handlers_settle(lifecycle->handlers, task))
    work_record(lifecycle->work, task);
}

static bool on_query(void *owner, const struct task *task, struct cursor *payload) {
  struct lifecycle *lifecycle = owner;
  return lifecycle->closing || handlers_query(lifecycle->handlers, task->number, task, payload);
}

static void on_forgotten(void *owner, uint64_t number) {
  struct lifecycle *lifecycle = owner;
  if (!lifecycle->closing) handlers_forget(lifecycle->handlers, number);
}

int lifecycle_in_flight(const struct lifecycle *lifecycle) {
  return pool_count(lifecycle->pool) + (lifecycle->handlers ? handlers_count(lifecycle->handlers) : 0);
}

static void on_input_wanted(void *owner, const struct task *task) {
  struct lifecycle *lifecycle = owner;
  if (!lifecycle->closing) flow_input_fetch(lifecycle->control, lifecycle->pool, task, lifecycle->options->max_input);
}

static void on_dying(void *owner, int count, const char *last) {
  struct lifecycle *lifecycle = owner;
  troubles_set(lifecycle->troubles, TROUBLE_EXECUTORS, count, last);
}

static void on_room(void *owner) {
  struct lifecycle *lifecycle = owner;
  if (lifecycle->work && !lifecycle->closing) work_check(lifecycle->work);
  drain_check(lifecycle);
}

static void on_pool_ended(void *owner) { drain_pool_ended(owner); }

static const struct pool_events pool_events = {
    .loaded = on_loaded,
    .failed = on_not_loaded,
    .gone = on_gone,
    .settled = on_settled,
    .input_wanted = on_input_wanted,
    .query = on_query,
    .forgotten = on_forgotten,
    .room = on_room,
    .dying = on_dying,
    .ended = on_pool_ended,
};

/* ---- the whole ---- */

static void make_worker_id(char *text, size_t size) {
  unsigned char b[16];
  uv_random(NULL, NULL, b, sizeof b, 0, NULL);
  b[6] = (unsigned char)(0x40 | (b[6] & 0x0F)); /* version 4, random */
  b[8] = (unsigned char)(0x80 | (b[8] & 0x3F));
  snprintf(text, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
           b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

struct lifecycle *lifecycle_new(uv_loop_t *loop, const struct worker_options *options,
                                const struct executor_options *executor, struct source *source, struct log *log,
                                struct err *err) {
  struct lifecycle *lifecycle = xcalloc(1, sizeof *lifecycle);
  *lifecycle = (struct lifecycle){.loop = loop, .options = options, .root = executor->root, .log = log};
  make_worker_id(lifecycle->worker_id, sizeof lifecycle->worker_id);
  lifecycle->troubles = troubles_new();
  const struct pool_options pool = {.executors = options->executors,
                                    .executor = *executor,
                                    .executor_memory = options->executor_memory,
                                    .worker_id = lifecycle->worker_id};
  lifecycle->pool = pool_new(loop, &pool, &pool_events, lifecycle, log);
  if (!pool_load(lifecycle->pool, source, err)) {
    pool_free(lifecycle->pool);
    troubles_free(lifecycle->troubles);
    free(lifecycle);
    return NULL;
  }
  reload_init(lifecycle);
  uv_timer_init(loop, &lifecycle->timer);
  lifecycle->timer.data = lifecycle;
  return lifecycle;
}

void lifecycle_stop(struct lifecycle *lifecycle) {
  switch (lifecycle->state) {
    case LIFECYCLE_STARTING:
    case LIFECYCLE_FENCED:
    case LIFECYCLE_DEPLOYING:
      LOG(lifecycle->log, LOG_INFO, "stopping", LOG_STR("reason", "signal"));
      drain_finish(lifecycle);
      return;
    case LIFECYCLE_RUNNING:
      drain_begin(lifecycle, "signal", EXIT_DONE);
      return;
    case LIFECYCLE_DRAINING:
      drain_kill(lifecycle, "second signal");
      return;
    case LIFECYCLE_STOPPED:
      if (!lifecycle->closing) return;
      pool_kill(lifecycle->pool);
      return;
  }
}

void lifecycle_reload(struct lifecycle *lifecycle) { reload_want(lifecycle, RELOAD_ORDERED); }

void lifecycle_hang_up(struct lifecycle *lifecycle) {
  if (lifecycle->state != LIFECYCLE_DRAINING && lifecycle->state != LIFECYCLE_STOPPED) lifecycle_stop(lifecycle);
}

void lifecycle_log_summary(const struct lifecycle *lifecycle) {
  LOG(lifecycle->log, LOG_INFO, "summary", LOG_STR("state", states[lifecycle->state].name),
      LOG_STR("worker", lifecycle->worker_id), LOG_STR("queue", lifecycle->queue),
      LOG_INT("generation", lifecycle->generation), LOG_INT("old_generations", pool_old_count(lifecycle->pool)),
      LOG_STR("reload", reload_state_text(lifecycle)), LOG_STR("reload_error", lifecycle->reload.error),
      LOG_INT("in_flight", lifecycle_in_flight(lifecycle)),
      LOG_INT("unrecorded", lifecycle->work ? work_unrecorded(lifecycle->work) : 0),
      LOG_INT("executors_ready", pool_ready_count(lifecycle->pool)),
      LOG_STR("control", lifecycle->control && pg_is_ready(lifecycle->control) ? "connected" : "not connected"),
      LOG_STR("work", lifecycle->work && work_is_connected(lifecycle->work) ? "connected" : "not connected"));
}

void lifecycle_on_end(struct lifecycle *lifecycle, void (*ended)(void *owner), void *owner) {
  lifecycle->ended = ended;
  lifecycle->ended_owner = owner;
}

int lifecycle_free(struct lifecycle *lifecycle) {
  int exit_code = lifecycle->exit_code;
  reload_free(lifecycle);
  troubles_free(lifecycle->troubles);
  free(lifecycle->queue);
  free(lifecycle->application_name);
  free(lifecycle->handler_name);
  free(lifecycle->listen);
  lifecycle->log->program = NULL;
  free(lifecycle->program);
  free(lifecycle);
  return exit_code;
}
