/* Looks once per turn: collects the facts, and calls who does what advance says. */
#include "worker/lifecycle.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/connections.h"
#include "worker/control/deploy.h"
#include "worker/control/flow_input.h"
#include "worker/drain.h"
#include "worker/life.h"
#include "worker/reload.h"
#include "worker/source/changes.h"
#include "worker/startup.h"
#include "worker/tell_dev.h"

/* ---- the pool ---- */

static void on_loaded(void *owner, struct generation *generation) {
  struct life *life = owner;
  const struct load_report *report = pool_report(generation);
  life_tell_queues(life, report);
  for (size_t i = 0; life->watch && i < report->data_count; i++) watch_add_file(life->watch, report->data_files[i]);
  if (generation != life->candidate) return;
  if (life->course.worker == WORKER_LOADING)
    life->course.candidate = CANDIDATE_LOADED;
  else
    reload_loaded(life, pool_report(generation));
  life_kick(life);
}

static void on_not_loaded(void *owner, struct generation *generation, const struct load_report *report,
                          const struct err *err) {
  struct life *life = owner;
  if (generation != life->candidate) return;
  if (life->course.worker == WORKER_LOADING)
    startup_not_loaded(life, report, err);
  else
    reload_not_loaded(life, report, err);
  life_kick(life);
}

static void on_settled(void *owner, struct task *task) {
  struct life *life = owner;
  if (life_is_closing(life))
    task_free(task); /* nobody records it any more; see drain.c */
  else if (!life->handlers || !handlers_settle(life->handlers, task))
    work_record(life->work, task);
}

static bool on_query(void *owner, const struct task *task, struct cursor *payload) {
  struct life *life = owner;
  return life_is_closing(life) || handlers_query(life->handlers, task->number, task, payload);
}

static void on_forgotten(void *owner, uint64_t number) {
  struct life *life = owner;
  if (!life_is_closing(life)) handlers_forget(life->handlers, number);
}

static void on_input_wanted(void *owner, const struct task *task) {
  struct life *life = owner;
  if (!life_is_closing(life)) flow_input_fetch(life->control, life->pool, task, life->options->max_input);
}

static void on_dying(void *owner, int count, const char *last) {
  struct life *life = owner;
  troubles_set(life->troubles, TROUBLE_EXECUTORS, count, last);
}

static void on_kick(void *owner) { life_kick(owner); }

static void on_pool_ended(void *owner) {
  struct life *life = owner;
  life->course.pool_ended = true;
  life_kick(life);
}

static const struct pool_events pool_events = {
    .loaded = on_loaded,
    .failed = on_not_loaded,
    .gone = on_kick,
    .settled = on_settled,
    .input_wanted = on_input_wanted,
    .query = on_query,
    .forgotten = on_forgotten,
    .room = on_kick,
    .dying = on_dying,
    .ended = on_pool_ended,
};

/* ---- deployments ---- */

static enum answer answer_of(const struct life *life, const struct deploy_answer *answer) {
  switch (answer->outcome) {
    case DEPLOY_DONE:
      return ANSWER_GOOD;
    case DEPLOY_FENCED:
      return ANSWER_FENCED;
    case DEPLOY_REFUSED:
      return ANSWER_REFUSED;
    case DEPLOY_FAILED:
      break;
  }
  return reload_judge(life, &answer->err);
}

static void forget_deployment(struct life *life) {
  free(life->deployment.details);
  free(life->deployment.changes);
  free(life->deployment.held_back);
}

static void on_deployed(void *owner, const struct deploy_answer *answer) {
  struct life *life = owner;
  if (life->course.worker != WORKER_DEPLOYING && life->course.reload != RELOAD_DEPLOYING) return;
  forget_deployment(life);
  life->deployment = (struct deployment){.err = answer->err,
                                         .details = xstrdup(answer->details),
                                         .changes = xstrdup(answer->changes),
                                         .held_back = xstrdup(answer->held_back),
                                         .generation = answer->generation};
  if (life->course.reload == RELOAD_DEPLOYING && answer->outcome != DEPLOY_DONE) reload_not_deployed(life, answer);
  life->course.deployed = answer_of(life, answer);
  life_kick(life);
}

static bool is_wanted(void *owner) {
  const struct life *life = owner;
  return course_deploys(&life->course);
}

static bool on_deleting(void *owner, const char *text) {
  const struct life *life = owner;
  return tell_dev(life->options->dev, TELL_DEV_DELETES, text);
}

static void send_deployment(struct life *life) {
  bool is_next = life->course.reload == RELOAD_DEPLOYING && life->candidate;
  struct buf changed = {0};
  if (is_next) changes_put_paths(&changed, pool_source(life->serving), pool_source(life->candidate));
  const struct generation *generation = is_next ? life->candidate : life->serving;
  bool whole = is_next ? life->course.whole || !life_is_cautious(life) : life->whole;
  const struct deploy_events events = {.wanted = is_wanted,
                                       .done = on_deployed,
                                       .again = life->course.worker != WORKER_DEPLOYING,
                                       .extent = life_extent(life, whole),
                                       .changed_files = changed.len > 0 ? changed.data : "",
                                       .source = pool_source(generation),
                                       .tell = on_deleting};
  deploy(life->control, life->worker_id, is_next ? life->reload.worker : life->worker, pool_report(generation),
         ++life->last_generation, life->log, &events, life);
  buf_free(&changed);
}

/* ---- the look ---- */

static void open_all(struct life *life) {
  struct err err;
  if (startup_choose(life) && !connections_open(life, &err)) life_fail(life, &err, NULL);
}

static void quit(struct life *life) {
  LOG(life->log, LOG_INFO, "stopping", LOG_STR("reason", "signal"));
  drain_leave(life);
}

static void kill_by_signal(struct life *life) { drain_kill(life, "second signal"); }

static void kill_after_grace(struct life *life) { drain_kill(life, "the grace is over"); }

static void give_up(struct life *life) {
  drain_give_up(life);
  drain_leave(life);
}

static void close_all(struct life *life) {
  reload_close(life);
  drain_close(life);
}

static void kill_pool(struct life *life) { pool_kill(life->pool); }

static void end_all(struct life *life) {
  drain_end(life);
  life->ended(life->ended_owner);
}

static void refuse_and_pause(struct life *life) {
  reload_refuse_for_now(life);
  reload_pause(life);
}

static void open_claims(struct life *life) { work_start(life->work, life->generation); }

static void hold_claims(struct life *life) { work_hold(life->work); }

static void stop_claims(struct life *life) { work_stop_claiming(life->work); }

static void (*const acts[])(struct life *life) = {
    [ACTION_CONNECT] = open_all,
    [ACTION_POOLED] = startup_pooled,
    [ACTION_CHECK] = startup_check,
    [ACTION_NOT_CHECKED] = startup_not_checked,
    [ACTION_ELSEWHERE] = startup_elsewhere,
    [ACTION_DEPLOY] = send_deployment,
    [ACTION_RUN] = startup_run,
    [ACTION_FENCED] = startup_fenced,
    [ACTION_REFUSED] = startup_refused,
    [ACTION_NOT_DEPLOYED] = startup_not_deployed,
    [ACTION_READ] = reload_read,
    [ACTION_LOAD] = reload_load,
    [ACTION_EXPECT] = reload_expect,
    [ACTION_LOSE_PATIENCE] = reload_lose_patience,
    [ACTION_ASK] = reload_ask,
    [ACTION_HELD] = reload_held,
    [ACTION_REFUSE] = reload_refuse,
    [ACTION_REFUSE_PAUSE] = refuse_and_pause,
    [ACTION_DISCARD] = reload_discard,
    [ACTION_SERVE] = reload_serve,
    [ACTION_SWITCH] = reload_switch,
    [ACTION_DEPLOYED_AGAIN] = reload_deployed_again,
    [ACTION_NOT_DEPLOYED_AGAIN] = reload_not_deployed_again,
    [ACTION_DROP_RELOAD] = reload_drop,
    [ACTION_QUIT] = quit,
    [ACTION_DRAIN] = drain_begin,
    [ACTION_KILL] = kill_by_signal,
    [ACTION_GRACE_OVER] = kill_after_grace,
    [ACTION_LEAVE] = drain_leave,
    [ACTION_GIVE_UP] = give_up,
    [ACTION_CLOSE] = close_all,
    [ACTION_KILL_POOL] = kill_pool,
    [ACTION_END] = end_all,
    [ACTION_OPEN_CLAIMS] = open_claims,
    [ACTION_HOLD_CLAIMS] = hold_claims,
    [ACTION_STOP_CLAIMS] = stop_claims,
};

static void log_moves(struct life *life) {
  const struct course *now = &life->course, *before = &life->logged;
  if (now->worker != before->worker)
    LOG(life->log, LOG_DEBUG, "worker_state", LOG_STR("from", worker_state_text(before->worker)),
        LOG_STR("to", worker_state_text(now->worker)));
  if (now->reload != before->reload)
    LOG(life->log, LOG_DEBUG, "reload_state", LOG_STR("from", reload_state_text(before->reload)),
        LOG_STR("to", reload_state_text(now->reload)));
  life->logged = life->course;
}

static void act(void *owner, enum action action) {
  struct life *life = owner;
  log_moves(life);
  if (life->course.alarm == ALARM_OFF) uv_timer_stop(&life->timer);
  if (life->course.reload_alarm == ALARM_OFF) uv_timer_stop(&life->reload.timer);
  if (action != ACTION_MOVED) acts[action](life);
}

/* Transactions of steps need handlers' connections in this very database. */
static void look_at_reach(const struct life *life, struct facts *facts) {
  struct err err;
  bool asked = life->course.worker == WORKER_CHECKED || life->course.worker == WORKER_FENCED;
  if (!asked) return;
  facts->reachable = true;
  if (!load_report_needs_transactions(pool_report(life->serving))) return;
  enum handler_reach reach = handlers_reach(life->handlers, &err);
  facts->reachable = reach == HANDLER_REACH_HOME;
  facts->elsewhere = reach == HANDLER_REACH_OTHER;
}

static void look_at(void *owner, struct facts *facts) {
  const struct life *life = owner;
  *facts = (struct facts){0};
  if (!life->pool) return;
  facts->control = life->control && pg_is_ready(life->control);
  facts->connected = facts->control && life->work && work_is_connected(life->work);
  facts->pooled = facts->connected && pg_last_backend(life->control).pid == work_last_backend(life->work).pid;
  facts->claiming = life->work && work_is_claiming(life->work);
  facts->cautious = life_is_cautious(life);
  facts->done = life_in_flight(life) == 0 && (!life->work || work_is_idle(life->work));
  look_at_reach(life, facts);
}

static void work(void *owner) {
  struct life *life = owner;
  if (life->work) work_go_on(life->work);
}

static void on_turn(uv_prepare_t *turn) {
  struct life *life = turn->data;
  look_now(&life->look);
  uv_prepare_stop(turn);
}

static void arm(void *owner) {
  struct life *life = owner;
  if (life->course.worker != WORKER_STOPPED) uv_prepare_start(&life->turn, on_turn);
}

/* ---- the whole ---- */

static void make_worker_id(char *text, size_t size) {
  unsigned char b[16];
  uv_random(NULL, NULL, b, sizeof b, 0, NULL);
  b[6] = (unsigned char)(0x40 | (b[6] & 0x0F)); /* version 4, random */
  b[8] = (unsigned char)(0x80 | (b[8] & 0x3F));
  snprintf(text, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
           b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void init_look(struct life *life) {
  static const struct look_events events = {.arm = arm, .facts = look_at, .act = act, .work = work};
  uv_prepare_init(life->loop, &life->turn);
  uv_timer_init(life->loop, &life->timer);
  life->turn.data = life->timer.data = life;
  look_init(&life->look, &life->course, &events, life);
}

struct life *lifecycle_new(uv_loop_t *loop, const struct worker_options *options,
                           const struct executor_options *executor, struct source *source, struct log *log,
                           struct err *err) {
  struct life *life = xcalloc(1, sizeof *life);
  *life = (struct life){.loop = loop, .options = options, .root = executor->root, .log = log};
  make_worker_id(life->worker_id, sizeof life->worker_id);
  life->troubles = troubles_new();
  const struct pool_options pool = {.executors = options->executors,
                                    .executor = *executor,
                                    .executor_memory = options->executor_memory,
                                    .worker_id = life->worker_id};
  life->pool = pool_new(loop, &pool, &pool_events, life, log);
  life->candidate = pool_load(life->pool, source, err);
  if (!life->candidate) {
    pool_free(life->pool);
    troubles_free(life->troubles);
    free(life);
    return NULL;
  }
  life->course.candidate = CANDIDATE_LOADING;
  life->whole = true;
  init_look(life);
  reload_init(life);
  return life;
}

void lifecycle_stop(struct life *life) {
  life->course.stops++;
  life_kick(life);
}

void lifecycle_reload(struct life *life) { life_order_reload(life); }

void lifecycle_hang_up(struct life *life) { life_drain(life, NULL, EXIT_DONE); }

void lifecycle_log_summary(const struct life *life) {
  bool reloads = life->course.reload != RELOAD_IDLE;
  LOG(life->log, LOG_INFO, "summary", LOG_STR("state", worker_state_text(life->course.worker)),
      LOG_STR("worker", life->worker_id), LOG_STR("queue", life->queue), LOG_INT("generation", life->generation),
      LOG_INT("old_generations", pool_old_count(life->pool)),
      LOG_STR("reload", reloads ? reload_state_text(life->course.reload) : NULL),
      LOG_STR("reload_error", life->reload.error), LOG_INT("in_flight", life_in_flight(life)),
      LOG_INT("unrecorded", life->work ? work_unrecorded(life->work) : 0),
      LOG_INT("executors_ready", pool_ready_count(life->pool)),
      LOG_STR("control", life->control && pg_is_ready(life->control) ? "connected" : "not connected"),
      LOG_STR("work", life->work && work_is_connected(life->work) ? "connected" : "not connected"));
}

void lifecycle_on_end(struct life *life, void (*ended)(void *owner), void *owner) {
  life->ended = ended;
  life->ended_owner = owner;
}

int lifecycle_free(struct life *life) {
  int exit_code = life->exit_code;
  reload_free(life);
  troubles_free(life->troubles);
  forget_deployment(life);
  free(life->queue);
  free(life->application_name);
  free(life->handler_name);
  free(life->listen);
  life->log->program = NULL;
  free(life->program);
  free(life);
  return exit_code;
}
