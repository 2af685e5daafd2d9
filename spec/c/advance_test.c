/* What a worker does next, in every order of events: a small world (loader, disk, executors, connections, database,
 * signals) answers what advance asks for, fails it, or lets it wait; turns of the loop end anywhere between two
 * events. After each look it is checked that nothing was done that must not be, that whatever is waited for can come,
 * and that the worker runs, or ends once it is told to. Situations that were met before are not tried again. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <uthash.h>

#include "base/xalloc.h"
#include "worker/look.h"

enum {
  LENGTH = 5,       /* events in an order, after those that lead to where it begins */
  GENERATIONS = 24, /* in one world */
  SLOTS = 2,        /* tasks that it has at once */
  STEPS = 200
};

/* X(event): each is applied where it can happen. */
#define EVENTS(X)   \
  X(LOADED)         \
  X(UNFIT)          \
  X(NOT_LOADED)     \
  X(READ)           \
  X(READ_KNOWN)     \
  X(NOT_READ)       \
  X(READ_LATER)     \
  X(CHECKED)        \
  X(NOT_CHECKED)    \
  X(REACHED)        \
  X(FREE)           \
  X(HELD)           \
  X(DEPLOYED)       \
  X(DEPLOY_REFUSED) \
  X(DEPLOY_FAILED)  \
  X(DEPLOY_HELD)    \
  X(OUTDATED)       \
  X(CLAIMED)        \
  X(CLAIM_STALE)    \
  X(RESULT)         \
  X(CONTROL)        \
  X(WORK)           \
  X(EXECUTOR)       \
  X(SIGTERM)        \
  X(SIGHUP)         \
  X(CHANGED)        \
  X(DEPRECATED)     \
  X(FENCE)          \
  X(BEAT)           \
  X(ALARM)          \
  X(RELOAD_ALARM)

enum event {
#define X(name) E_##name,
  EVENTS(X)
#undef X
      EVENT_COUNT
};

static const char *const event_names[] = {
#define X(name) #name,
    EVENTS(X)
#undef X
};

enum life { FREED, LOADING, LOADED, SERVING, OLD, LET_GO };

struct generation {
  uint8_t life;
  bool dead; /* it has no executor now */
  uint8_t tasks;
};

/* Compared byte by byte: nothing but data. */
struct data {
  struct course course;
  bool due; /* a look */
  bool opened, control, work;
  bool reach_unknown, elsewhere, pooled;
  bool fence; /* closed */
  bool checking, reading, asking, deploying;
  bool free;     /* for the deployment, as far as it was asked */
  bool outdated; /* what serves: it cannot be deployed any more, only files that are read now */
  bool in_transaction, claiming;
  bool more; /* the queue may have work */
  bool gate; /* claims may go out */
  bool ran, draining, killed, left, closed, ended;
  bool told;                     /* to end */
  bool kill_asked;               /* by a signal while it drains, or a second one */
  bool asked;                    /* a deployment was sent */
  bool goodbye;                  /* the database is being told that it ends */
  bool pause, reload_pause;      /* after a failure */
  bool held_pause;               /* while others hold what the deployment needs */
  bool ordered;                  /* by a SIGHUP, and not begun since */
  bool ordered_before;           /* something was begun that a SIGHUP ordered */
  bool expected;                 /* the end of the load */
  bool fence_pause;              /* since the fence refused */
  bool wanted, wanted_once_open; /* a reload, which was not begun since */
  bool starved;                  /* the next load finds no executors */
  bool deployed;                 /* the candidate */
  bool acting;
  int queue, results, recording, count, serving, candidate;
  struct generation generations[GENERATIONS];
};

struct world {
  struct data data;
  struct look look;
};

/* ---- telling ---- */

static struct {
  int events[STEPS * 4];
  int count;
} path; /* -1: a look */

static void print_path(void) {
  printf("# after:");
  for (int i = 0; i < path.count; i++) printf(" %s", path.events[i] < 0 ? "|" : event_names[path.events[i]]);
  printf("\n");
  fflush(stdout);
}

static void on_abort(int number) {
  print_path();
  signal(number, SIG_DFL);
  raise(number);
}

#define MUST(condition, text)                          \
  do {                                                 \
    if (!(condition)) {                                \
      printf("# broken: %s (%s)\n", text, #condition); \
      print_path();                                    \
      fail_msg("%s", text);                            \
    }                                                  \
  } while (0)

/* ---- the world ---- */

static int count_of(const struct data *d, enum life life) {
  int count = 0;
  for (int i = 0; i < d->count; i++) count += d->generations[i].life == (uint8_t)life;
  return count;
}

static int living(const struct data *d) { return d->count - count_of(d, FREED); }

static int tasks(const struct data *d) {
  int count = 0;
  for (int i = 0; i < d->count; i++) count += d->generations[i].tasks;
  return count;
}

static bool connected(const struct data *d) { return d->opened && d->control && d->work; }

static bool done(const struct data *d) { return tasks(d) == 0 && d->results == 0 && !d->in_transaction; }

static void kick(struct world *w) { look_kick(&w->look); }

static void check_pool_end(struct world *w) {
  struct data *d = &w->data;
  if ((d->draining || d->closed) && living(d) == 0) d->course.pool_ended = true;
}

/* Its last executor is reaped. */
static void free_generation(struct world *w, int i) {
  struct generation *g = &w->data.generations[i];
  MUST(g->life != FREED, "a generation ends once");
  w->data.results += g->tasks;
  *g = (struct generation){.life = FREED};
  if (w->data.serving == i) w->data.serving = -1;
  check_pool_end(w);
  kick(w);
}

static int new_generation(struct data *d) {
  assert_true(d->count < GENERATIONS);
  d->generations[d->count] = (struct generation){.life = LOADING};
  return d->count++;
}

static void switch_to_candidate(struct world *w) {
  struct data *d = &w->data;
  int before = d->serving;
  MUST(d->candidate >= 0 && d->generations[d->candidate].life == LOADED, "only what has loaded serves");
  d->outdated = false;
  d->generations[d->candidate].life = SERVING;
  d->serving = d->candidate;
  d->candidate = -1;
  if (before < 0) return;
  d->generations[before].life = OLD;
  if (d->generations[before].dead) free_generation(w, before); /* in the middle of the switch */
}

static void on_ask(struct data *d) {
  MUST(d->opened && d->control, "asks over a connection");
  MUST(!d->asking && !d->told, "asks once, and nothing once it is told to end");
  MUST(d->candidate >= 0 && d->generations[d->candidate].life == LOADED, "asks for what has loaded");
  MUST(!d->held_pause, "the pause is kept");
  d->asking = true;
  d->free = false;
}

static void on_deploy(struct world *w) {
  struct data *d = &w->data;
  MUST(d->opened && d->control, "deploys over a connection");
  MUST(!d->claiming, "no claim is in flight when it deploys");
  MUST(!d->gate, "no claim may go out when it deploys");
  MUST(!d->deploying, "one deployment at a time");
  MUST(!d->told, "deploys nothing once it is told to end");
  MUST(d->course.worker != WORKER_DEPLOYING || connected(d), "starts over both connections");
  MUST(d->course.worker != WORKER_DEPLOYING || !d->reach_unknown, "starts when handlers reach the database");
  MUST(d->course.worker != WORKER_DEPLOYING || !d->fence_pause, "the pause of the fence is kept");
  MUST(d->course.worker != WORKER_DEPLOYING || d->serving >= 0, "deploys what serves");
  MUST(!d->pooled && !d->elsewhere, "deploys where it belongs");
  MUST(d->course.worker == WORKER_DEPLOYING ? !d->pause : !d->reload_pause, "the pause after a failure is kept");
  d->deploying = d->asked = true;
  d->free = false;
}

static void on_leave(struct world *w, bool complete) {
  struct data *d = &w->data;
  MUST(d->told, "ends when it is told to");
  MUST(!d->left, "leaves once");
  MUST(!complete || done(d), "leaves when everything is recorded");
  d->left = true;
  MUST(d->asked == (d->course.standing != STANDING_UNKNOWN), "knows whether the database may know it");
  d->goodbye = d->opened && d->control && d->asked;
  if (d->goodbye) d->course.alarm = ALARM_RUNS;
}

static void on_close(struct world *w) {
  struct data *d = &w->data;
  MUST(d->left && !d->closed, "closes once, when it has left");
  MUST(!d->goodbye, "closes when the database was told, or did not answer");
  d->closed = true;
  d->opened = d->control = d->work = d->gate = d->in_transaction = d->claiming = false;
  check_pool_end(w);
  kick(w);
}

static void on_discard(struct world *w) {
  struct data *d = &w->data;
  int i = d->candidate;
  MUST(i >= 0 && d->generations[i].life != FREED, "only what lives is discarded");
  MUST(d->generations[i].life == LOADING || d->generations[i].life == LOADED, "what serves is not discarded");
  MUST(!d->closed, "discards while there is a pool to do it");
  d->candidate = -1;
  d->held_pause = d->free = false;
  d->generations[i].life = LET_GO;
  if (d->generations[i].dead) free_generation(w, i);
}

static void fail_start(struct data *d) {
  d->course.order = ORDER_FAIL;
  d->told = true;
}

static void act_at_start(struct world *w, enum action action) {
  struct data *d = &w->data;
  if (action == ACTION_CONNECT) {
    MUST(!d->opened && d->serving < 0, "connects once");
    switch_to_candidate(w);
    d->opened = true;
  } else if (action == ACTION_CHECK) {
    MUST(connected(d) && !d->checking, "checks over both connections");
    MUST(!d->pooled, "checks where it has a session of its own");
    MUST(!d->pause, "the pause after a failure is kept");
    d->checking = true;
  } else if (action == ACTION_RUN) {
    MUST(d->deployed && !d->ran, "runs once, when it is deployed");
    d->ran = true;
  } else if (action == ACTION_NOT_CHECKED || action == ACTION_NOT_DEPLOYED || action == ACTION_FENCED) {
    d->course.alarm = ALARM_RUNS;
    d->fence_pause = action == ACTION_FENCED;
    d->pause = action != ACTION_FENCED;
  } else if (action == ACTION_REFUSED || action == ACTION_POOLED || action == ACTION_ELSEWHERE) {
    fail_start(d);
  }
}

static void on_load(struct data *d) {
  if (!d->starved) d->candidate = new_generation(d);
  if (d->starved) d->course.candidate = CANDIDATE_NOT_STARTED;
  d->starved = false;
}

static void act_of_reload(struct world *w, enum action action) {
  struct data *d = &w->data;
  if (action == ACTION_READ) {
    MUST(!d->reading && d->candidate < 0, "one reload at a time");
    MUST(!d->reload_pause, "the pause after a failure is kept");
    MUST(!d->ordered || d->course.cause == WISH_ORDERED, "what was ordered is not taken for less");
    MUST(!d->ordered || d->course.whole, "what was ordered takes everything");
    MUST(!d->course.whole || d->ordered || d->ordered_before, "what nobody ordered does not");
    d->ordered_before = d->ordered_before || d->ordered;
    d->reading = true;
    d->ordered = false;
    d->wanted = d->wanted_once_open = false;
  } else if (action == ACTION_ASK) {
    on_ask(d);
  } else if (action == ACTION_HELD) {
    d->course.reload_alarm = ALARM_RUNS;
    d->held_pause = true;
  } else if (action == ACTION_LOAD) {
    d->expected = false;
    on_load(d);
  } else if (action == ACTION_EXPECT) {
    MUST(d->course.reload_alarm == ALARM_RUNS && !d->expected, "the patience is counted once");
    d->expected = true;
  } else if (action == ACTION_REFUSE_PAUSE || action == ACTION_NOT_DEPLOYED_AGAIN) {
    d->course.reload_alarm = ALARM_RUNS;
    d->reload_pause = true;
    d->wanted = d->wanted || action == ACTION_REFUSE_PAUSE;
  } else if (action == ACTION_DISCARD) {
    on_discard(w);
  } else if (action == ACTION_SERVE) {
    MUST(!d->ran && !d->deploying, "what was not deployed serves before the first deployment");
    switch_to_candidate(w);
  } else if (action == ACTION_SWITCH) {
    MUST(d->deployed && !d->claiming && !d->gate, "no claim between the deployment and the switch");
    switch_to_candidate(w);
  }
}

static void act_to_end(struct world *w, enum action action) {
  struct data *d = &w->data;
  if (action == ACTION_DRAIN) {
    MUST(d->told && !d->draining, "drains once");
    d->draining = true;
    d->course.alarm = ALARM_RUNS;
    check_pool_end(w);
  } else if (action == ACTION_KILL || action == ACTION_GRACE_OVER) {
    MUST(!d->killed, "kills once");
    MUST(action == ACTION_GRACE_OVER || d->kill_asked, "one signal kills nobody");
    d->killed = true;
    d->course.alarm = ALARM_RUNS;
  } else if (action == ACTION_QUIT || action == ACTION_GIVE_UP || action == ACTION_LEAVE) {
    on_leave(w, action == ACTION_LEAVE);
  } else if (action == ACTION_CLOSE) {
    on_close(w);
  } else if (action == ACTION_END) {
    MUST(d->closed && living(d) == 0, "no executor outlives the worker");
    d->ended = true;
  }
}

static void act_on_claims(struct world *w, enum action action) {
  struct data *d = &w->data;
  if (action != ACTION_OPEN_CLAIMS && action != ACTION_HOLD_CLAIMS && action != ACTION_STOP_CLAIMS) return;
  MUST(d->opened, "claims have a connection");
  d->gate = action == ACTION_OPEN_CLAIMS;
  d->more = d->more || d->gate;
  kick(w);
}

/* ---- what the look calls ---- */

static void arm(void *owner) {
  struct world *w = owner;
  w->data.due = true;
}

static void facts_of(void *owner, struct facts *facts) {
  const struct data *d = &((const struct world *)owner)->data;
  *facts = (struct facts){
      .connected = connected(d),
      .control = d->opened && d->control,
      .pooled = connected(d) && d->pooled,
      .reachable = !d->reach_unknown && !d->elsewhere,
      .elsewhere = d->elsewhere,
      .claiming = d->claiming,
      .done = done(d),
  };
}

static void act(void *owner, enum action action) {
  struct world *w = owner;
  MUST(!w->data.acting, "an action is not begun within another");
  MUST(!w->data.ended, "nothing follows the end");
  w->data.acting = true;
  if (action == ACTION_DEPLOY) on_deploy(w);
  act_at_start(w, action);
  act_of_reload(w, action);
  act_to_end(w, action);
  act_on_claims(w, action);
  w->data.acting = false;
}

/* As work.c does it: a transaction at a time, with results, a claim, or both. */
static void send_work(void *owner) {
  struct data *d = &((struct world *)owner)->data;
  if (!d->opened || !d->work || d->in_transaction) return;
  bool room = d->serving >= 0 && !d->generations[d->serving].dead && tasks(d) < SLOTS;
  bool claims = d->gate && room && d->more;
  if (!claims && d->results == 0) return;
  MUST(!claims || d->course.worker == WORKER_RUNNING, "claims while it runs");
  MUST(!claims || !d->deploying, "never claims while it deploys");
  MUST(!claims || (d->course.reload != RELOAD_HOLDING && d->course.reload != RELOAD_DEPLOYING),
       "never claims between hold and switch");
  MUST(!claims || !d->told, "never claims once it is told to end");
  MUST(!claims || d->course.standing == STANDING_CURRENT, "claims with a generation that the database knows");
  d->in_transaction = true;
  d->claiming = claims;
  d->recording = d->results;
}

/* ---- events: false where it cannot happen ---- */

static bool load_ends(struct world *w, enum event event) {
  struct data *d = &w->data;
  if (d->candidate < 0 || d->generations[d->candidate].life != LOADING) return false;
  bool first = d->course.worker == WORKER_LOADING;
  if (event == E_NOT_LOADED) { /* its only executor has died, so the pool has freed it when the look comes */
    int i = d->candidate;
    d->candidate = -1;
    d->course.candidate = CANDIDATE_FAILED;
    if (first) fail_start(d);
    free_generation(w, i);
    return true;
  }
  if (event == E_UNFIT && first) return false;
  d->generations[d->candidate].life = LOADED;
  d->course.candidate = event == E_UNFIT ? CANDIDATE_UNFIT : CANDIDATE_LOADED;
  return true;
}

static bool read_ends(struct data *d, enum answer answer) {
  if (!d->reading) return false;
  d->reading = false;
  if (d->course.reload == RELOAD_READING) d->course.read = answer;
  return true;
}

static bool check_ends(struct data *d, enum answer answer) {
  if (!d->checking) return false;
  d->checking = false;
  if (d->course.worker == WORKER_CHECKING) d->course.checked = answer;
  return true;
}

static bool ask_ends(struct data *d, enum answer answer) {
  if (!d->asking) return false;
  d->asking = false;
  if (d->course.reload != RELOAD_ASKING) return true;
  d->free = answer == ANSWER_GOOD;
  d->course.asked = answer;
  return true;
}

/* The preview has come: what is no longer wanted is not sent. */
static bool deployment_ends(struct data *d, enum answer answer) {
  if (!d->deploying) return false;
  d->deploying = false;
  if (answer != ANSWER_FAILED && !course_deploys(&d->course)) return true;
  d->outdated = d->outdated || answer == ANSWER_OUTDATED;
  if (answer == ANSWER_GOOD && d->outdated && d->candidate < 0) answer = ANSWER_OUTDATED;
  d->wanted = d->wanted || answer == ANSWER_OUTDATED;
  MUST(answer == ANSWER_FAILED || !d->told, "changes nothing once it is told to end");
  if (answer == ANSWER_GOOD && d->fence) answer = ANSWER_FENCED;
  d->deployed = answer == ANSWER_GOOD;
  d->wanted_once_open =
      d->wanted_once_open || (answer == ANSWER_FENCED && d->course.reload == RELOAD_DEPLOYING && d->candidate >= 0);
  d->course.deployed = answer;
  return true;
}

static bool transaction_ends(struct data *d, bool stale) {
  if (!d->in_transaction || (stale && !d->claiming)) return false;
  d->results -= d->recording;
  if (d->claiming && stale) d->course.standing = STANDING_STALE;
  d->more = d->claiming && !stale && d->queue > 0;
  if (d->more) {
    d->queue--;
    if (d->course.worker == WORKER_RUNNING && d->serving >= 0)
      d->generations[d->serving].tasks++;
    else
      d->results++;
  }
  d->in_transaction = d->claiming = false;
  return true;
}

static bool result_comes(struct data *d) {
  for (int i = 0; i < d->count; i++) {
    if (d->generations[i].tasks == 0) continue;
    d->generations[i].tasks--;
    d->results++;
    return true;
  }
  return false;
}

static bool control_toggles(struct data *d) {
  if (!d->opened) return false;
  d->control = !d->control;
  if (d->control) {
    d->course.reconnected = d->more = true;
    d->pause = false;
    return true;
  }
  check_ends(d, ANSWER_FAILED);
  ask_ends(d, ANSWER_FAILED);
  deployment_ends(d, ANSWER_FAILED);
  if (d->course.worker == WORKER_LEAVING && d->course.alarm == ALARM_RUNS) d->course.alarm = ALARM_OVER;
  d->goodbye = false;
  return true;
}

static bool work_toggles(struct data *d) {
  if (!d->opened) return false;
  d->work = !d->work;
  if (d->work) d->course.reconnected = d->more = true;
  if (d->work) d->pause = false;
  if (!d->work) d->in_transaction = d->claiming = false;
  return true;
}

/* One that is to end does; else the serving one's dies, or is replaced. */
static bool executor_ends(struct world *w) {
  struct data *d = &w->data;
  bool leaves = d->draining || d->closed;
  for (int i = 0; i < d->count; i++) {
    struct generation *g = &d->generations[i];
    if (g->life != OLD && g->life != LET_GO) continue;
    free_generation(w, i);
    return true;
  }
  if (d->candidate >= 0 && d->generations[d->candidate].life == LOADING) return load_ends(w, E_NOT_LOADED);
  for (int i = 0; leaves && i < d->count; i++) {
    if (d->generations[i].life == FREED) continue;
    free_generation(w, i);
    return true;
  }
  if (leaves || d->serving < 0) return false;
  struct generation *g = &d->generations[d->serving];
  g->dead = !g->dead;
  d->results += g->tasks;
  g->tasks = 0;
  return true;
}

static bool signal_comes(struct data *d, enum event event) {
  if (d->ended || d->course.stops > 1) return false;
  if (event == E_SIGTERM) {
    d->kill_asked = d->draining || d->course.stops > 0;
    d->course.stops++;
    d->told = true;
    return true;
  }
  if (course_is_ending(&d->course)) return false;
  if (event == E_SIGHUP)
    course_order(&d->course);
  else
    course_want(&d->course, WISH_CHANGED);
  d->wanted = true;
  d->ordered = d->ordered || event == E_SIGHUP;
  if (d->course.reload == RELOAD_IDLE) d->reload_pause = false;
  return true;
}

static bool heart_beats(struct data *d, enum event event) {
  if (!d->ran || d->closed || !d->control) return false;
  if (event == E_BEAT && d->fence) return false;
  if (event == E_BEAT) {
    if (d->course.wish == WISH_ONCE_ENABLED) d->reload_pause = false;
    course_enabled(&d->course);
    return true;
  }
  if (course_is_ending(&d->course) || d->course.order != ORDER_NONE) return false;
  d->course.order = ORDER_DRAIN;
  d->told = true;
  return true;
}

static bool alarm_ends(struct data *d, enum alarm *alarm) {
  if (*alarm != ALARM_RUNS) return false;
  *alarm = ALARM_OVER;
  if (alarm == &d->course.alarm) d->fence_pause = d->pause = d->goodbye = false;
  if (alarm == &d->course.reload_alarm) d->reload_pause = d->held_pause = false;
  return true;
}

static bool happen(struct world *w, enum event event) {
  struct data *d = &w->data;
  switch (event) {
    case E_LOADED:
    case E_UNFIT:
    case E_NOT_LOADED:
      return load_ends(w, event);
    case E_READ:
      return read_ends(d, ANSWER_GOOD);
    case E_READ_KNOWN:
      return read_ends(d, ANSWER_KNOWN);
    case E_NOT_READ:
      return read_ends(d, ANSWER_REFUSED);
    case E_READ_LATER:
      return read_ends(d, ANSWER_FAILED);
    case E_CHECKED:
      return check_ends(d, ANSWER_GOOD);
    case E_NOT_CHECKED:
      return check_ends(d, ANSWER_FAILED);
    case E_REACHED:
      if (!d->reach_unknown) return false;
      d->reach_unknown = false;
      return true;
    case E_FREE:
      return ask_ends(d, ANSWER_GOOD);
    case E_HELD:
      return ask_ends(d, ANSWER_FAILED);
    case E_DEPLOYED:
      return deployment_ends(d, ANSWER_GOOD);
    case E_DEPLOY_REFUSED:
      return deployment_ends(d, ANSWER_REFUSED);
    case E_DEPLOY_FAILED:
      return deployment_ends(d, ANSWER_FAILED);
    case E_DEPLOY_HELD:
      return deployment_ends(d, ANSWER_HELD);
    case E_OUTDATED:
      return ask_ends(d, ANSWER_OUTDATED) || deployment_ends(d, ANSWER_OUTDATED);
    case E_CLAIMED:
      return transaction_ends(d, false);
    case E_CLAIM_STALE:
      return transaction_ends(d, true);
    case E_RESULT:
      return result_comes(d);
    case E_CONTROL:
      return control_toggles(d);
    case E_WORK:
      return work_toggles(d);
    case E_EXECUTOR:
      return executor_ends(w);
    case E_SIGTERM:
    case E_SIGHUP:
    case E_CHANGED:
      return signal_comes(d, event);
    case E_DEPRECATED:
    case E_BEAT:
      return heart_beats(d, event);
    case E_FENCE:
      d->fence = !d->fence;
      return !d->ended;
    case E_ALARM:
      return alarm_ends(d, &d->course.alarm);
    case E_RELOAD_ALARM:
      return alarm_ends(d, &d->course.reload_alarm);
    case EVENT_COUNT:
      break;
  }
  return false;
}

/* ---- what holds whenever it has looked ---- */

/* Whatever the worker's state waits for is under way. */
static void check_worker(const struct data *d) {
  const struct course *course = &d->course;
  switch (course->worker) {
    case WORKER_LOADING:
      MUST(d->candidate >= 0, "waits for a load that is under way");
      break;
    case WORKER_CONNECTING:
    case WORKER_CHECKED:
      MUST(!connected(d) || d->pause || d->reach_unknown, "goes on once it is connected");
      MUST(!d->pause || course->alarm == ALARM_RUNS, "a pause has an end");
      break;
    case WORKER_FENCED:
      MUST(!connected(d) || course->alarm == ALARM_RUNS, "asks again when the pause is over");
      break;
    case WORKER_CHECKING:
      MUST(d->checking, "waits for a check that is under way");
      break;
    case WORKER_DEPLOYING:
      MUST(d->deploying, "waits for a deployment that is under way");
      break;
    case WORKER_RUNNING:
      MUST(!d->told, "ends once it is told to");
      MUST(d->gate || d->course.reload >= RELOAD_HOLDING || course->standing == STANDING_STALE, "claims while it runs");
      break;
    case WORKER_DRAINING:
    case WORKER_KILLING:
      MUST(!done(d) && course->alarm == ALARM_RUNS, "waits for results, and not for ever");
      MUST(!d->kill_asked || d->killed, "a second signal ends the grace");
      break;
    case WORKER_LEAVING:
      MUST(course->alarm == ALARM_RUNS, "does not wait for ever for the database to be told");
      break;
    case WORKER_CLOSING:
      MUST(living(d) > 0, "waits for executors");
      MUST(course->stops == 0, "a signal ends executors that do not go");
      break;
    case WORKER_STOPPED:
      MUST(d->ended, "has ended");
      break;
  }
}

static void check_reload(const struct data *d) {
  const struct course *course = &d->course;
  bool control = d->opened && d->control;
  if (course_is_ending(course)) {
    MUST(course->reload == RELOAD_IDLE && course->wish == WISH_NONE && d->candidate < 0, "no reload outlives the end");
    return;
  }
  switch (course->reload) {
    case RELOAD_IDLE:
      MUST(course->wish < WISH_CHANGED || d->reload_pause || course->worker == WORKER_LOADING,
           "what is wanted is begun");
      MUST(!d->reload_pause || course->reload_alarm == ALARM_RUNS, "a pause has an end");
      MUST(d->candidate < 0 || course->worker == WORKER_LOADING, "nothing is left of a reload");
      MUST(course->standing != STANDING_STALE || d->reload_pause, "a stale generation is deployed again");
      break;
    case RELOAD_READING:
      MUST(d->reading, "waits for a look at the disk that is under way");
      break;
    case RELOAD_LOADING:
      MUST(d->candidate >= 0 && d->generations[d->candidate].life == LOADING, "waits for a load that is under way");
      MUST(course->wish < WISH_CHANGED || course->reload_alarm == ALARM_RUNS, "a load that is outdated has its time");
      break;
    case RELOAD_LOADED:
      MUST(course->worker == WORKER_DEPLOYING || !control || d->held_pause, "what has loaded goes on");
      MUST(!d->held_pause || course->reload_alarm == ALARM_RUNS, "a pause has an end");
      MUST(!d->held_pause || (course->wish < WISH_CHANGED && course->standing != STANDING_STALE),
           "what waits for others holds up nothing");
      break;
    case RELOAD_ASKING:
      MUST(d->asking, "waits for an answer that is under way");
      break;
    case RELOAD_HOLDING:
      MUST(d->claiming || !control, "waits for a claim or the connection");
      MUST(!d->gate, "holds claims");
      break;
    case RELOAD_DEPLOYING:
      MUST(d->deploying, "waits for a deployment that is under way");
      MUST(!d->gate && !d->claiming, "holds claims");
      break;
  }
}

static void take_look(struct world *w) {
  bool was_holding = w->data.course.reload == RELOAD_HOLDING;
  path.events[path.count++] = -1;
  w->data.due = false;
  look_now(&w->look);
  MUST(w->data.course.reload != RELOAD_HOLDING || was_holding || w->data.control ||
           w->data.course.standing == STANDING_STALE,
       "claims are not held where nothing can be deployed");
  MUST(w->data.course.reload != RELOAD_HOLDING || w->data.free || w->data.candidate < 0,
       "claims are held for what can be deployed without a wait");
  MUST(!w->data.due && w->look.state == LOOK_RESTS, "a look looks until nothing is due");
  check_worker(&w->data);
  check_reload(&w->data);
}

static bool try_event(struct world *w, enum event event) {
  path.events[path.count] = (int)event;
  path.count++;
  if (!happen(w, event)) {
    path.count--;
    return false;
  }
  kick(w);
  return true;
}

/* ---- fair worlds: what can come does, in this order, until nothing more happens ---- */

static bool step(struct world *w, const enum event *events, int count) {
  for (int i = 0; i < count; i++) {
    if (events[i] == E_CONTROL && w->data.control) continue;
    if (events[i] == E_WORK && w->data.work) continue;
    if (events[i] == E_FENCE && !w->data.fence) continue;
    if (events[i] == E_EXECUTOR &&
        !(course_is_ending(&w->data.course) || count_of(&w->data, OLD) + count_of(&w->data, LET_GO) > 0 ||
          (w->data.serving >= 0 && w->data.generations[w->data.serving].dead)))
      continue;
    if (events[i] == E_BEAT && w->data.course.wish != WISH_ONCE_ENABLED) continue;
    if (!try_event(w, events[i])) continue;
    take_look(w);
    return true;
  }
  return false;
}

static void drive(struct world *w, const enum event *events, int count) {
  for (int i = 0; i < STEPS; i++)
    if (!step(w, events, count)) return;
  MUST(false, "comes to rest");
}

static void copy_world(struct world *to, const struct world *from) {
  memcpy(&to->data, &from->data, sizeof to->data);
  to->look = from->look;
  to->look.course = &to->data.course;
  to->look.owner = to;
}

/* Everything answers, and the database is there. */
static void must_run(const struct world *from) {
  static const enum event events[] = {E_FENCE,  E_CONTROL,  E_WORK, E_REACHED,      E_LOADED,
                                      E_READ,   E_CHECKED,  E_FREE, E_DEPLOYED,     E_CLAIMED,
                                      E_RESULT, E_EXECUTOR, E_BEAT, E_RELOAD_ALARM, E_ALARM};
  struct world w;
  const struct course *course = &w.data.course;
  if (from->data.told || from->data.elsewhere || from->data.pooled) return;
  copy_world(&w, from);
  drive(&w, events, sizeof events / sizeof *events);
  MUST(course->worker == WORKER_RUNNING, "runs in the end");
  MUST(course->reload == RELOAD_IDLE && course->wish == WISH_NONE && !w.data.wanted,
       "whatever was wanted was begun and ended");
  MUST(!w.data.wanted_once_open, "what the fence refused is tried again");
  MUST(course->standing == STANDING_CURRENT && w.data.gate, "claims in the end");
  MUST(count_of(&w.data, LET_GO) + count_of(&w.data, OLD) == 0 && living(&w.data) == 1, "one generation is left");
}

/* Told to stop; with no_database nothing answers any more but the clock and dying executors. */
static void must_stop(const struct world *from, bool no_database) {
  static const enum event all[] = {E_CONTROL,  E_WORK,    E_LOADED, E_READ,  E_CHECKED,
                                   E_DEPLOYED, E_CLAIMED, E_RESULT, E_ALARM, E_EXECUTOR};
  static const enum event none[] = {E_READ, E_EXECUTOR, E_ALARM, E_RELOAD_ALARM};
  struct world w;
  copy_world(&w, from);
  if (!w.data.told) {
    try_event(&w, E_SIGTERM);
    take_look(&w);
  }
  if (no_database && w.data.control && try_event(&w, E_CONTROL)) take_look(&w);
  if (no_database && w.data.work && try_event(&w, E_WORK)) take_look(&w);
  if (no_database)
    drive(&w, none, sizeof none / sizeof *none);
  else
    drive(&w, all, sizeof all / sizeof *all);
  MUST(w.data.ended, "ends once it is told to");
}

static void check_ends_of(const struct world *w) {
  int depth = path.count;
  must_run(w);
  path.count = depth;
  must_stop(w, false);
  path.count = depth;
  must_stop(w, true);
  path.count = depth;
}

/* ---- every order ---- */

struct met {
  struct {
    struct data data;
    int left; /* events that may follow */
  } key;
  uint64_t orders;
  UT_hash_handle hh;
};

static struct met *all_met;

/* Tries all orders of up to left more events; returns how many there are. */
static uint64_t explore(const struct world *w, int left) {
  struct met *met = xcalloc(1, sizeof *met), *known;
  memcpy(&met->key.data, &w->data, sizeof w->data);
  met->key.left = left;
  HASH_FIND(hh, all_met, &met->key, sizeof met->key, known);
  if (known) {
    free(met);
    return known->orders;
  }
  if (!w->data.due) check_ends_of(w);
  int depth = path.count;
  for (int event = 0; left > 0 && event < EVENT_COUNT; event++, path.count = depth) {
    struct world next;
    copy_world(&next, w);
    if (!try_event(&next, (enum event)event)) continue;
    met->orders++;
    if (left > 1) met->orders += explore(&next, left - 1); /* the turn goes on */
    take_look(&next);
    met->orders += explore(&next, left - 1);
  }
  HASH_ADD(hh, all_met, key, sizeof met->key, met);
  return met->orders;
}

static void begin(struct world *w) {
  static const struct look_events events = {.arm = arm, .facts = facts_of, .act = act, .work = send_work};
  memset(w, 0, sizeof *w);
  w->data.queue = 3;
  w->data.serving = -1;
  w->data.candidate = new_generation(&w->data);
  w->data.course.candidate = CANDIDATE_LOADING;
  look_init(&w->look, &w->data.course, &events, w);
}

/* Where orders begin, and what leads there, a look after each. */
struct start {
  const char *name;
  bool starved, reach_unknown, elsewhere, pooled;
  enum event events[24]; /* ended by LOADED, which comes first of all */
};

#define CONNECTED E_CONTROL, E_WORK
#define DEPLOYS CONNECTED, E_CHECKED
#define RUNS DEPLOYS, E_DEPLOYED
#define LOADS E_SIGHUP, E_READ
#define RELOADS LOADS, E_LOADED, E_FREE

static const struct start starts[] = {
    {.name = "connecting", .events = {E_LOADED}},
    {.name = "checking", .events = {CONNECTED, E_LOADED}},
    {.name = "pausing", .events = {CONNECTED, E_NOT_CHECKED, E_LOADED}},
    {.name = "deploying", .events = {DEPLOYS, E_LOADED}},
    {.name = "fenced", .events = {E_FENCE, RUNS, E_LOADED}},
    {.name = "fenced, with a load", .events = {E_FENCE, RUNS, LOADS, E_LOADED}},
    {.name = "fenced, without executors, with a load",
     .events = {E_FENCE, RUNS, LOADS, E_EXECUTOR, E_EXECUTOR, E_LOADED}},
    {.name = "waiting for handlers' database", .reach_unknown = true, .events = {DEPLOYS, E_LOADED}},
    {.name = "connecting, handlers to another database", .elsewhere = true, .events = {E_CONTROL, E_LOADED}},
    {.name = "connecting to a pooler", .pooled = true, .events = {E_CONTROL, E_LOADED}},
    {.name = "fenced, with a pooler from now on", .pooled = true, .events = {E_FENCE, RUNS, E_LOADED}},
    {.name = "running", .events = {RUNS, E_LOADED}},
    {.name = "running, short of executors", .starved = true, .events = {RUNS, E_SIGHUP, E_LOADED}},
    {.name = "working, with a load", .events = {RUNS, E_CLAIMED, LOADS, E_LOADED}},
    {.name = "asking", .events = {RUNS, E_CLAIMED, LOADS, E_LOADED, E_CLAIMED, E_LOADED}},
    {.name = "held off", .events = {RUNS, LOADS, E_LOADED, E_HELD, E_LOADED}},
    {.name = "holding", .events = {RUNS, RELOADS, E_LOADED}},
    {.name = "deploying again", .events = {RUNS, E_CLAIMED, RELOADS, E_CLAIMED, E_LOADED}},
    {.name = "stale", .events = {RUNS, E_CLAIM_STALE, E_LOADED}},
    {.name = "stale, its deployment's answer lost, others ahead",
     .events = {RUNS, RELOADS, E_CLAIMED, E_DEPLOY_FAILED, E_CLAIM_STALE, E_RELOAD_ALARM, E_OUTDATED, E_LOADED}},
    {.name = "with an old generation", .events = {RUNS, E_CLAIMED, RELOADS, E_CLAIMED, E_DEPLOYED, E_LOADED}},
    {.name = "with two old generations",
     .events = {RUNS, E_CLAIMED, RELOADS, E_CLAIMED, E_DEPLOYED, RELOADS, E_DEPLOYED, E_LOADED}},
    {.name = "with three old generations",
     .events = {RUNS, E_CLAIMED, RELOADS, E_CLAIMED, E_DEPLOYED, RELOADS, E_DEPLOYED, RELOADS, E_DEPLOYED, E_LOADED}},
    {.name = "draining", .events = {RUNS, E_CLAIMED, E_SIGTERM, E_LOADED}},
    {.name = "killing", .events = {RUNS, E_CLAIMED, E_SIGTERM, E_SIGTERM, E_LOADED}},
};

enum { START_COUNT = sizeof starts / sizeof *starts };

static void lead(struct world *w, const struct start *start) {
  begin(w);
  w->data.starved = start->starved;
  w->data.reach_unknown = start->reach_unknown;
  path.count = 0;
  if (!try_event(w, E_LOADED)) fail();
  take_look(w);
  for (const enum event *event = start->events; *event != E_LOADED || event[1]; event++) {
    if (!try_event(w, *event)) {
      print_path();
      fail_msg("%s: %s cannot happen", start->name, event_names[*event]);
    }
    take_look(w);
  }
  w->data.elsewhere = start->elsewhere;
  w->data.pooled = start->pooled;
}

static void stays_sound_in_every_order(void **state) {
  struct world w;
  (void)state;
  begin(&w);
  path.count = 0;
  uint64_t orders = explore(&w, LENGTH);
  printf("# from loading: %llu orders of up to %d events\n", (unsigned long long)orders, LENGTH);
  for (int i = 0; i < START_COUNT; i++) {
    lead(&w, &starts[i]);
    uint64_t more = explore(&w, LENGTH);
    printf("# from %s: %llu\n", starts[i].name, (unsigned long long)more);
    orders += more;
  }
  printf("# %llu orders in all, which lead to %u different situations\n", (unsigned long long)orders,
         HASH_COUNT(all_met));
}

/* ---- the look alone ---- */

struct counts {
  struct look look;
  int armed, looked, worked;
};

static void count_arm(void *owner) { ((struct counts *)owner)->armed++; }

static void no_facts(void *owner, struct facts *facts) {
  struct counts *counts = owner;
  counts->looked++;
  *facts = (struct facts){0};
}

static void no_act(void *owner, enum action action) {
  (void)owner;
  (void)action;
  fail();
}

/* What is sent may break the connection at once. */
static void kick_once(void *owner) {
  struct counts *counts = owner;
  if (counts->worked++ == 0) look_kick(&counts->look);
}

static void looks_once_for_many_kicks_and_again_for_one_within(void **state) {
  static const struct look_events events = {.arm = count_arm, .facts = no_facts, .act = no_act, .work = kick_once};
  struct course course = {.candidate = CANDIDATE_LOADING};
  struct counts counts = {0};
  (void)state;
  look_init(&counts.look, &course, &events, &counts);
  for (int i = 0; i < 3; i++) look_kick(&counts.look);
  assert_int_equal(counts.armed, 1);
  assert_int_equal(counts.looked, 0);
  look_now(&counts.look);
  assert_int_equal(counts.looked, 2);
  assert_int_equal(counts.worked, 2);
  assert_int_equal(counts.armed, 1);
  look_kick(&counts.look);
  assert_int_equal(counts.armed, 2);
}

int main(void) {
  static const struct CMUnitTest tests[] = {cmocka_unit_test(looks_once_for_many_kicks_and_again_for_one_within),
                                            cmocka_unit_test(stays_sound_in_every_order)};
  signal(SIGABRT, on_abort);
  setvbuf(stdout, NULL, _IOLBF, 0);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
