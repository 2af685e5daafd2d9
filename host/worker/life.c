/* What callbacks write down about a worker until the next look. */
#include "worker/life.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "worker/tell_dev.h"

void life_kick(struct life *life) { look_kick(&life->look); }

static void on_alarm(uv_timer_t *timer) {
  struct life *life = timer->data;
  if (life->course.alarm != ALARM_RUNS) return;
  life->course.alarm = ALARM_OVER;
  life_kick(life);
}

void life_wait(struct life *life, uint64_t ms) {
  life->course.alarm = ALARM_RUNS;
  uv_timer_start(&life->timer, on_alarm, ms, 0);
}

void life_fail_quietly(struct life *life, enum exit_code exit_code) {
  if (life->course.order == ORDER_FAIL || course_is_ending(&life->course)) return;
  life->course.order = ORDER_FAIL;
  life->exit_code = exit_code;
  life_kick(life);
}

void life_fail(struct life *life, const struct err *err, const char *details) {
  if (life->course.order == ORDER_FAIL || course_is_ending(&life->course)) return;
  say_err(err);
  if (details) say(stderr, "%s\n", details);
  life_fail_quietly(life, err->exit_code);
}

void life_drain(struct life *life, const char *reason, enum exit_code exit_code) {
  if (life->course.order != ORDER_NONE || course_is_ending(&life->course)) return;
  life->course.order = ORDER_DRAIN;
  life->reason = reason;
  life->exit_code = exit_code;
  life_kick(life);
}

void life_forgotten(struct life *life) {
  if (course_is_told(&life->course)) return;
  LOG(life->log, LOG_ERROR, "worker_unknown", LOG_STR("worker", life->worker_id),
      LOG_STR("reason", "its row does not exist: the database was created again, or the row was deleted"),
      LOG_STR("hint", "start the worker again"));
  life_drain(life, "the database does not know this worker", EXIT_FAILED);
}

void life_reload(struct life *life, enum wish wish) {
  if (course_is_ending(&life->course)) {
    LOG(life->log, wish == WISH_ORDERED ? LOG_WARN : LOG_DEBUG, "reload_refused",
        LOG_STR("error", "the worker drains: nothing is deployed any more"));
    return;
  }
  course_want(&life->course, wish);
  life_kick(life);
}

void life_order_reload(struct life *life) {
  if (!course_is_ending(&life->course)) course_order(&life->course);
  life_reload(life, WISH_ORDERED);
}

bool life_is_cautious(const struct life *life) { return !life->development && !life->options->development; }

enum deploy_extent life_extent(const struct life *life, bool whole) {
  if (life->development && life->options->dev >= 0) return DEPLOY_FILES;
  return whole ? DEPLOY_ALL : DEPLOY_EXISTING;
}

bool life_is_closing(const struct life *life) { return life->course.worker >= WORKER_CLOSING; }

int life_in_flight(const struct life *life) {
  return pool_count(life->pool) + (life->handlers ? handlers_count(life->handlers) : 0);
}

bool life_tell_queues(const struct life *life, const struct load_report *report) {
  char *queues = load_report_queues(report);
  bool told = tell_dev(life->options->dev, TELL_DEV_QUEUES, queues);
  if (!told && life->options->dev >= 0) LOG(life->log, LOG_WARN, "queues_not_told", LOG_STR("error", strerror(errno)));
  free(queues);
  return told;
}
