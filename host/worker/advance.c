/* Claims follow the states first; then comes the end, so that nothing begins which it would give up; then start-up
 * and reload. */
#include "worker/advance.h"

#include <stddef.h>

#include "base/check.h"

static const struct state worker_states[] = {WORKER_STATES(STATE_ROW)};

static const struct state reload_states[] = {RELOAD_STATES(STATE_ROW)};

const char *worker_state_text(enum worker_state state) { return worker_states[state].name; }

const char *reload_state_text(enum reload_state state) { return reload_states[state].name; }

static enum action move_worker(struct course *course, enum worker_state state, enum action action) {
  STATE_CHECK(worker_states, course->worker, state);
  course->worker = state;
  course->alarm = ALARM_OFF;
  course->reconnected = false;
  return action;
}

static enum action move_reload(struct course *course, enum reload_state state, enum action action) {
  STATE_CHECK(reload_states, course->reload, state);
  course->reload = state;
  course->reload_alarm = ALARM_OFF;
  return action;
}

static enum answer take(enum answer *noted) {
  enum answer answer = *noted;
  *noted = ANSWER_NONE;
  return answer;
}

/* ---- work ---- */

static enum claims claims_due(const struct course *course) {
  bool held =
      course->reload == RELOAD_HOLDING || course->reload == RELOAD_DEPLOYING || course->standing == STANDING_STALE;
  if (course->worker == WORKER_RUNNING) return held ? CLAIMS_HELD : CLAIMS_OPEN;
  return course->claims == CLAIMS_NONE ? CLAIMS_NONE : CLAIMS_STOPPED;
}

static enum action move_claims(struct course *course) {
  static const enum action actions[] = {
      [CLAIMS_OPEN] = ACTION_OPEN_CLAIMS, [CLAIMS_HELD] = ACTION_HOLD_CLAIMS, [CLAIMS_STOPPED] = ACTION_STOP_CLAIMS};
  enum claims due = claims_due(course);
  if (course->claims == due) return ACTION_NONE;
  course->claims = due;
  return actions[due];
}

/* ---- the end ---- */

static enum action end_run(struct course *course) {
  if (course->stops > 0) course->stops--;
  return move_worker(course, WORKER_DRAINING, ACTION_DRAIN);
}

/* A signal during the drain ends the grace. */
static enum action end_drain(struct course *course, const struct facts *facts) {
  if (facts->done) return move_worker(course, WORKER_LEAVING, ACTION_LEAVE);
  if (course->alarm == ALARM_OVER) return move_worker(course, WORKER_KILLING, ACTION_GRACE_OVER);
  if (course->stops == 0) return ACTION_NONE;
  course->stops = 0;
  return move_worker(course, WORKER_KILLING, ACTION_KILL);
}

static enum action end_kill(struct course *course, const struct facts *facts) {
  course->stops = 0;
  if (facts->done) return move_worker(course, WORKER_LEAVING, ACTION_LEAVE);
  return course->alarm == ALARM_OVER ? move_worker(course, WORKER_LEAVING, ACTION_GIVE_UP) : ACTION_NONE;
}

static enum action end_close(struct course *course) {
  if (course->pool_ended) return move_worker(course, WORKER_STOPPED, ACTION_END);
  if (course->stops == 0) return ACTION_NONE;
  course->stops = 0;
  return ACTION_KILL_POOL;
}

static enum action end(struct course *course, const struct facts *facts) {
  switch (course->worker) {
    case WORKER_LOADING:
    case WORKER_CONNECTING:
    case WORKER_CHECKING:
    case WORKER_CHECKED:
    case WORKER_DEPLOYING:
    case WORKER_FENCED:
      if (!course_is_told(course)) return ACTION_NONE;
      return move_worker(course, WORKER_LEAVING, course->order == ORDER_FAIL ? ACTION_LEAVE : ACTION_QUIT);
    case WORKER_RUNNING:
      return course_is_told(course) ? end_run(course) : ACTION_NONE;
    case WORKER_DRAINING:
      return end_drain(course, facts);
    case WORKER_KILLING:
      return end_kill(course, facts);
    case WORKER_LEAVING:
      course->stops = 0;
      return course->alarm == ALARM_RUNS ? ACTION_NONE : move_worker(course, WORKER_CLOSING, ACTION_CLOSE);
    case WORKER_CLOSING:
      return end_close(course);
    case WORKER_STOPPED:
      return ACTION_NONE;
  }
  return ACTION_NONE;
}

/* ---- start-up ---- */

/* The pause after a failure ends early with the next connection, which may work better; the pause of the fence does
 * not. */
static bool may_go_on(const struct course *course, const struct facts *facts) {
  if (!facts->connected) return false;
  if (course->worker == WORKER_FENCED) return course->alarm == ALARM_OVER;
  return course->alarm != ALARM_RUNS || course->reconnected;
}

static enum action check(struct course *course, const struct facts *facts) {
  if (!may_go_on(course, facts)) return ACTION_NONE;
  if (facts->pooled) return ACTION_POOLED;
  return move_worker(course, WORKER_CHECKING, ACTION_CHECK);
}

static enum action take_check(struct course *course) {
  enum answer answer = take(&course->checked);
  if (answer == ANSWER_NONE) return ACTION_NONE;
  if (answer == ANSWER_GOOD) return move_worker(course, WORKER_CHECKED, ACTION_MOVED);
  return move_worker(course, WORKER_CONNECTING, ACTION_NOT_CHECKED);
}

static enum action deploy_first(struct course *course, const struct facts *facts) {
  if (!may_go_on(course, facts)) return ACTION_NONE;
  if (facts->pooled) return ACTION_POOLED;
  if (facts->elsewhere) return ACTION_ELSEWHERE;
  if (!facts->reachable) return ACTION_NONE;
  if (course->standing == STANDING_UNKNOWN) course->standing = STANDING_ASKED;
  return move_worker(course, WORKER_DEPLOYING, ACTION_DEPLOY);
}

static enum action take_deployment(struct course *course) {
  switch (take(&course->deployed)) {
    case ANSWER_NONE:
      return ACTION_NONE;
    case ANSWER_GOOD:
    case ANSWER_KNOWN: /* of reads */
      course->standing = STANDING_CURRENT;
      return move_worker(course, WORKER_RUNNING, ACTION_RUN);
    case ANSWER_FENCED:
      return move_worker(course, WORKER_FENCED, ACTION_FENCED);
    case ANSWER_REFUSED:
      return ACTION_REFUSED;
    case ANSWER_OUTDATED:
      if (course->wish < WISH_AGAIN) course->wish = WISH_AGAIN;
      return move_worker(course, WORKER_CHECKED, ACTION_NOT_DEPLOYED);
    case ANSWER_FAILED:
    case ANSWER_HELD:
      return move_worker(course, WORKER_CHECKED, ACTION_NOT_DEPLOYED);
  }
  return ACTION_NONE;
}

/* If it cannot load, the callback that writes that down also gives the order to end. */
static enum action load_first(struct course *course) {
  if (course->candidate != CANDIDATE_LOADED) return ACTION_NONE;
  course->candidate = CANDIDATE_NONE;
  return move_worker(course, WORKER_CONNECTING, ACTION_CONNECT);
}

static enum action start_up(struct course *course, const struct facts *facts) {
  switch (course->worker) {
    case WORKER_LOADING:
      return load_first(course);
    case WORKER_CONNECTING:
      return check(course, facts);
    case WORKER_CHECKING:
      return take_check(course);
    case WORKER_CHECKED:
    case WORKER_FENCED:
      return deploy_first(course, facts);
    case WORKER_DEPLOYING:
      return take_deployment(course);
    case WORKER_RUNNING:
    case WORKER_DRAINING:
    case WORKER_KILLING:
    case WORKER_LEAVING:
    case WORKER_CLOSING:
    case WORKER_STOPPED:
      return ACTION_NONE;
  }
  return ACTION_NONE;
}

/* ---- reload ---- */

/* The reload is over. A candidate that has failed belongs to the pool alone. */
static enum action drop_candidate(struct course *course) {
  bool ours = course->candidate != CANDIDATE_FAILED && course->candidate != CANDIDATE_NOT_STARTED;
  course->candidate = CANDIDATE_NONE;
  return ours ? ACTION_DISCARD : ACTION_MOVED;
}

/* A generation that cannot claim is deployed again first, and in turn with what is wanted: either may be refused for
 * as long as the other is not tried. */
static bool is_due_again(struct course *course) {
  bool in_turn = course->tried_again && course->wish >= WISH_CHANGED;
  course->tried_again = false;
  return course->standing == STANDING_STALE && !in_turn;
}

static enum action begin(struct course *course, const struct facts *facts) {
  if (course->candidate != CANDIDATE_NONE) return drop_candidate(course);
  if (course->reload_alarm == ALARM_RUNS) return ACTION_NONE;
  if (is_due_again(course)) return move_reload(course, RELOAD_HOLDING, ACTION_MOVED);
  if (course->wish < WISH_CHANGED) return ACTION_NONE;
  /* The first deployment takes all that its generation has, so changed files must not become that generation. */
  if (facts->cautious && !course->whole_wanted && course->worker != WORKER_RUNNING) return ACTION_NONE;
  course->cause = course->wish;
  course->wish = WISH_NONE;
  course->whole = course->whole_wanted;
  course->whole_wanted = false;
  return move_reload(course, RELOAD_READING, ACTION_READ);
}

/* Tries the same again after a pause. */
static enum action refuse_for_now(struct course *course) {
  if (course->wish < WISH_AGAIN) course->wish = WISH_AGAIN;
  course->whole_wanted = course->whole_wanted || course->whole;
  return move_reload(course, RELOAD_IDLE, ACTION_REFUSE_PAUSE);
}

static enum action take_read(struct course *course) {
  switch (take(&course->read)) {
    case ANSWER_NONE:
      return ACTION_NONE;
    case ANSWER_GOOD:
      course->candidate = CANDIDATE_LOADING;
      return move_reload(course, RELOAD_LOADING, ACTION_LOAD);
    case ANSWER_KNOWN:
      return move_reload(course, RELOAD_IDLE, ACTION_MOVED);
    case ANSWER_FAILED:
    case ANSWER_HELD: /* of deployments, like the next two */
    case ANSWER_OUTDATED:
      return refuse_for_now(course);
    case ANSWER_FENCED:
    case ANSWER_REFUSED:
      return move_reload(course, RELOAD_IDLE, ACTION_REFUSE);
  }
  return ACTION_NONE;
}

/* The reload under way gives way to the next one, which does what this one was to do. */
static enum action give_way(struct course *course, enum action action) {
  if (course->wish < course->cause) course->wish = course->cause;
  course->whole_wanted = course->whole_wanted || course->whole;
  return move_reload(course, RELOAD_IDLE, action);
}

/* A load of outdated files might never end. */
static enum action expect(struct course *course) {
  if (course->reload_alarm == ALARM_OVER) return give_way(course, ACTION_LOSE_PATIENCE);
  if (course->reload_alarm == ALARM_RUNS || course->wish < WISH_CHANGED) return ACTION_NONE;
  course->reload_alarm = ALARM_RUNS;
  return ACTION_EXPECT;
}

static enum action take_load(struct course *course) {
  CHECK(course->candidate != CANDIDATE_NONE);
  switch (course->candidate) {
    case CANDIDATE_LOADING:
      return expect(course);
    case CANDIDATE_LOADED:
      return move_reload(course, RELOAD_LOADED, ACTION_MOVED);
    case CANDIDATE_UNWANTED:
      return move_reload(course, RELOAD_IDLE, ACTION_MOVED);
    case CANDIDATE_NOT_STARTED:
      return refuse_for_now(course);
    case CANDIDATE_NONE:
    case CANDIDATE_UNFIT:
    case CANDIDATE_FAILED:
      return move_reload(course, RELOAD_IDLE, ACTION_REFUSE);
  }
  return ACTION_NONE;
}

/* What is wanted meanwhile comes before a candidate that has to wait, and so does a generation that cannot claim. */
static enum action overtake(struct course *course) {
  if (course->wish < WISH_CHANGED && course->standing != STANDING_STALE) return ACTION_NONE;
  return give_way(course, ACTION_MOVED);
}

/* A worker that has not deployed yet deploys the candidate instead. While its deployment is under way it waits for
 * the answer. */
static enum action serve(struct course *course, const struct facts *facts) {
  if (course->worker == WORKER_DEPLOYING) return ACTION_NONE;
  if (course->worker == WORKER_RUNNING) {
    if (course->reload_alarm == ALARM_RUNS) return overtake(course);
    return facts->control ? move_reload(course, RELOAD_ASKING, ACTION_ASK) : ACTION_NONE;
  }
  course->candidate = CANDIDATE_NONE;
  return move_reload(course, RELOAD_IDLE, ACTION_SERVE);
}

/* Claims go on until nobody holds what the deployment needs. */
static enum action take_ask(struct course *course, const struct facts *facts) {
  switch (take(&course->asked)) {
    case ANSWER_NONE:
      return ACTION_NONE;
    case ANSWER_GOOD:
    case ANSWER_KNOWN: /* of reads */
      return move_reload(course, facts->control ? RELOAD_HOLDING : RELOAD_LOADED, ACTION_MOVED);
    case ANSWER_FAILED:
    case ANSWER_HELD:
      return move_reload(course, RELOAD_LOADED, ACTION_HELD);
    case ANSWER_OUTDATED:
      return refuse_for_now(course);
    case ANSWER_FENCED: /* of deployments */
    case ANSWER_REFUSED:
      return move_reload(course, RELOAD_IDLE, ACTION_REFUSE);
  }
  return ACTION_NONE;
}

static enum action deploy_next(struct course *course, const struct facts *facts) {
  if (facts->claiming || !facts->control) return ACTION_NONE;
  return move_reload(course, RELOAD_DEPLOYING, ACTION_DEPLOY);
}

/* The database may want other files than those that serve; without an order only development reads them. */
static enum action fail_again(struct course *course, const struct facts *facts, enum answer answer) {
  course->tried_again = true;
  if (!facts->cautious && answer != ANSWER_FENCED && course->wish < WISH_AGAIN) course->wish = WISH_AGAIN;
  return move_reload(course, RELOAD_IDLE, ACTION_NOT_DEPLOYED_AGAIN);
}

static enum action take_next_deployment(struct course *course, const struct facts *facts) {
  enum answer answer = take(&course->deployed);
  bool again = course->candidate == CANDIDATE_NONE;
  if (answer == ANSWER_NONE) return ACTION_NONE;
  if (answer == ANSWER_GOOD) {
    course->standing = STANDING_CURRENT;
    course->candidate = CANDIDATE_NONE;
    return move_reload(course, RELOAD_IDLE, again ? ACTION_DEPLOYED_AGAIN : ACTION_SWITCH);
  }
  if (again) return fail_again(course, facts, answer);
  if (answer == ANSWER_HELD) return move_reload(course, RELOAD_LOADED, ACTION_HELD);
  if (answer == ANSWER_FAILED || answer == ANSWER_OUTDATED) return refuse_for_now(course);
  if (answer == ANSWER_FENCED && course->wish == WISH_NONE) course->wish = WISH_ONCE_ENABLED;
  if (answer == ANSWER_FENCED) course->whole_wanted = course->whole_wanted || course->whole;
  return move_reload(course, RELOAD_IDLE, ACTION_REFUSE);
}

static enum action reload(struct course *course, const struct facts *facts) {
  switch (course->reload) {
    case RELOAD_IDLE:
      return course->worker == WORKER_LOADING ? ACTION_NONE : begin(course, facts);
    case RELOAD_READING:
      return take_read(course);
    case RELOAD_LOADING:
      return take_load(course);
    case RELOAD_LOADED:
      return serve(course, facts);
    case RELOAD_ASKING:
      return take_ask(course, facts);
    case RELOAD_HOLDING:
      return deploy_next(course, facts);
    case RELOAD_DEPLOYING:
      return take_next_deployment(course, facts);
  }
  return ACTION_NONE;
}

/* The worker ends: gives up the reload under way and whatever was ordered. */
static enum action give_up_reload(struct course *course) {
  bool tell = course->reload != RELOAD_IDLE || course->wish == WISH_ORDERED;
  if (course->wish == WISH_ORDERED) course->cause = WISH_ORDERED;
  course->wish = WISH_NONE;
  if (course->reload != RELOAD_IDLE) move_reload(course, RELOAD_IDLE, ACTION_MOVED);
  if (tell) return ACTION_DROP_RELOAD;
  return course->candidate == CANDIDATE_NONE ? ACTION_NONE : drop_candidate(course);
}

/* ---- the whole ---- */

enum action advance(struct course *course, const struct facts *facts) {
  enum action action = move_claims(course);
  if (!action && course_is_ending(course)) action = give_up_reload(course);
  if (!action) action = end(course, facts);
  if (!action) action = start_up(course, facts);
  if (!action && !course_is_ending(course)) action = reload(course, facts);
  return action;
}

void course_want(struct course *course, enum wish wish) {
  if (wish > course->wish) course->wish = wish;
  if (course->reload == RELOAD_IDLE) course->reload_alarm = ALARM_OFF;
}

void course_order(struct course *course) {
  course->whole_wanted = true;
  course_want(course, WISH_ORDERED);
}

void course_enabled(struct course *course) {
  if (course->wish == WISH_ONCE_ENABLED) course_want(course, WISH_ORDERED);
}

bool course_is_ending(const struct course *course) { return course->worker >= WORKER_DRAINING; }

bool course_is_told(const struct course *course) {
  return course_is_ending(course) || course->order != ORDER_NONE || course->stops > 0;
}

bool course_deploys(const struct course *course) {
  return !course_is_told(course) && (course->worker == WORKER_DEPLOYING || course->reload == RELOAD_DEPLOYING);
}
