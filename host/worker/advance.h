/* Decides what a worker does next, as a pure function of what is known. Callbacks write down in the course what has
 * happened; advance moves the states of the course and returns one action at a time. Knows no loop, no database and
 * no executor. */
#ifndef LUAFLOW_WORKER_ADVANCE_H
#define LUAFLOW_WORKER_ADVANCE_H

#include <stdbool.h>

#include "base/states.h"

/* LOADING: the first generation loads, and there is nothing else. CHECKING: does the schema fit? FENCED: its function
 * is disabled. KILLING: executors were killed, and their tasks are released and recorded. LEAVING: the worker's row is
 * marked as stopped. CLOSING: the connections are closed, and executors end. */
#define WORKER_STATES(X)                                                                                             \
  X(WORKER_LOADING, "loading", TO(WORKER_CONNECTING) | TO(WORKER_LEAVING))                                           \
  X(WORKER_CONNECTING, "connecting", TO(WORKER_CHECKING) | TO(WORKER_LEAVING))                                       \
  X(WORKER_CHECKING, "checking", TO(WORKER_CONNECTING) | TO(WORKER_CHECKED) | TO(WORKER_LEAVING))                    \
  X(WORKER_CHECKED, "checked", TO(WORKER_DEPLOYING) | TO(WORKER_LEAVING))                                            \
  X(WORKER_DEPLOYING, "deploying", TO(WORKER_CHECKED) | TO(WORKER_FENCED) | TO(WORKER_RUNNING) | TO(WORKER_LEAVING)) \
  X(WORKER_FENCED, "fenced", TO(WORKER_DEPLOYING) | TO(WORKER_LEAVING))                                              \
  X(WORKER_RUNNING, "running", TO(WORKER_DRAINING))                                                                  \
  X(WORKER_DRAINING, "draining", TO(WORKER_KILLING) | TO(WORKER_LEAVING))                                            \
  X(WORKER_KILLING, "killing", TO(WORKER_LEAVING))                                                                   \
  X(WORKER_LEAVING, "leaving", TO(WORKER_CLOSING))                                                                   \
  X(WORKER_CLOSING, "closing", TO(WORKER_STOPPED))                                                                   \
  X(WORKER_STOPPED, "stopped", 0)

enum worker_state { WORKER_STATES(STATE_ENUM) };

/* LOADED also while others hold locks that the deployment needs, ASKING whether they do; HOLDING until the claim in
 * flight has returned. */
#define RELOAD_STATES(X)                                                               \
  X(RELOAD_IDLE, "idle", TO(RELOAD_READING) | TO(RELOAD_HOLDING))                      \
  X(RELOAD_READING, "reading", TO(RELOAD_LOADING) | TO(RELOAD_IDLE))                   \
  X(RELOAD_LOADING, "loading", TO(RELOAD_LOADED) | TO(RELOAD_IDLE))                    \
  X(RELOAD_LOADED, "loaded", TO(RELOAD_ASKING) | TO(RELOAD_IDLE))                      \
  X(RELOAD_ASKING, "asking", TO(RELOAD_LOADED) | TO(RELOAD_HOLDING) | TO(RELOAD_IDLE)) \
  X(RELOAD_HOLDING, "holding", TO(RELOAD_DEPLOYING) | TO(RELOAD_IDLE))                 \
  X(RELOAD_DEPLOYING, "deploying", TO(RELOAD_LOADED) | TO(RELOAD_IDLE))

enum reload_state { RELOAD_STATES(STATE_ENUM) };

/* Why a further generation is wanted. A later value includes the earlier ones. */
enum wish {
  WISH_NONE,
  WISH_ONCE_ENABLED, /* the fence refused it: again once the function is enabled */
  WISH_CHANGED,      /* files may have changed: known bytes are not loaded again */
  WISH_AGAIN,        /* the last attempt failed for a temporary reason: known bytes too */
  WISH_ORDERED,      /* somebody asked for it: known bytes too */
};

/* The generation that will serve next. */
enum candidate {
  CANDIDATE_NONE,
  CANDIDATE_LOADING,
  CANDIDATE_LOADED,
  CANDIDATE_UNFIT,       /* it has loaded, but cannot serve this worker */
  CANDIDATE_UNWANTED,    /* the same, and dev reports it */
  CANDIDATE_FAILED,      /* it could not load; the pool ends it, and it must not be used any more */
  CANDIDATE_NOT_STARTED, /* its executors could not be started; that may work later */
};

/* The answer to a request; set by its callback, cleared by advance. */
enum answer {
  ANSWER_NONE, /* not yet */
  ANSWER_GOOD,
  ANSWER_KNOWN,    /* the files hold nothing new */
  ANSWER_FENCED,   /* the function is disabled */
  ANSWER_REFUSED,  /* the same request would be refused again */
  ANSWER_FAILED,   /* a later attempt may succeed */
  ANSWER_HELD,     /* others hold what the deployment needs */
  ANSWER_OUTDATED, /* others have deployed meanwhile: only files that are read again can be deployed */
};

/* What the database knows of this worker. */
enum standing {
  STANDING_UNKNOWN,
  STANDING_ASKED,   /* a deployment was sent: it may have a row */
  STANDING_CURRENT, /* the serving generation is the last one deployed */
  STANDING_STALE,   /* the database has another generation: claims fail until the serving one is deployed again, or
                     * another one is */
};

enum claims { CLAIMS_NONE, CLAIMS_OPEN, CLAIMS_HELD, CLAIMS_STOPPED };

/* The timer of a state. The action that begins the state arms it; it is off once the state ends. */
enum alarm { ALARM_OFF, ALARM_RUNS, ALARM_OVER };

enum order {
  ORDER_NONE,
  ORDER_DRAIN, /* finish the tasks, then end */
  ORDER_FAIL,  /* end at once: the worker cannot start */
};

/* Begins zeroed, with a candidate that is loading. */
struct course {
  /* Moved by advance alone. */
  enum worker_state worker;
  enum reload_state reload;
  enum claims claims;
  enum wish cause;  /* of the reload under way */
  bool whole;       /* it was ordered, or retries one that was: outside a development database others take less */
  bool tried_again; /* the serving generation could not be deployed again: what is wanted comes first */

  /* Written by callbacks and actions. */
  enum wish wish;    /* for a further reload; by course_want */
  bool whole_wanted; /* by course_order */
  enum candidate candidate;
  enum standing standing; /* callbacks set STALE only */
  enum answer checked, read, asked, deployed;
  enum alarm alarm, reload_alarm;
  enum order order;
  int stops;        /* signals that no action has followed yet */
  bool reconnected; /* a connection has become ready since the worker's state began */
  bool pool_ended;  /* no executor is left */
};

/* Facts that can be read at any time; collected before each step. */
struct facts {
  bool connected; /* both connections are ready */
  bool control;   /* the control connection is ready */
  bool pooled;    /* both connections lead to one server process: a transaction pooler is between */
  bool reachable; /* no step needs a transaction, or handlers' transactions are in this database */
  bool elsewhere; /* handlers' transactions are in another database */
  bool claiming;  /* a claim is in flight */
  bool done;      /* no task is in flight, and every result is recorded */
  bool cautious;  /* changed files bring new versions only when somebody orders it */
};

enum action {
  ACTION_NONE,
  ACTION_MOVED, /* a state has moved; nothing else to do */
  /* start-up */
  ACTION_CONNECT, /* choose the worker of the first generation, which now serves, and connect */
  ACTION_POOLED,
  ACTION_CHECK,
  ACTION_NOT_CHECKED,
  ACTION_ELSEWHERE,
  ACTION_DEPLOY, /* the candidate of a reload, else the serving generation */
  ACTION_RUN,
  ACTION_FENCED,
  ACTION_REFUSED,
  ACTION_NOT_DEPLOYED,
  /* reload */
  ACTION_READ,
  ACTION_LOAD,
  ACTION_EXPECT, /* the end of an outdated load, within a time limit */
  ACTION_LOSE_PATIENCE,
  ACTION_ASK,          /* whether the candidate can be deployed without a wait */
  ACTION_HELD,         /* it cannot: a pause follows, then it is asked again */
  ACTION_REFUSE,       /* for the reason written down */
  ACTION_REFUSE_PAUSE, /* the same for a temporary reason: a pause follows, then the next attempt */
  ACTION_DISCARD,      /* the candidate */
  ACTION_SERVE,        /* the candidate serves and is deployed later */
  ACTION_SWITCH,       /* the candidate is deployed and serves */
  ACTION_DEPLOYED_AGAIN,
  ACTION_NOT_DEPLOYED_AGAIN,
  ACTION_DROP_RELOAD,
  /* the end */
  ACTION_QUIT, /* the worker stops before it runs */
  ACTION_DRAIN,
  ACTION_KILL,
  ACTION_GRACE_OVER, /* the same because the grace is over */
  ACTION_LEAVE,
  ACTION_GIVE_UP, /* the same, and the last results are lost */
  ACTION_CLOSE,
  ACTION_KILL_POOL,
  ACTION_END,
  /* work */
  ACTION_OPEN_CLAIMS,
  ACTION_HOLD_CLAIMS,
  ACTION_STOP_CLAIMS,
};

/* Returns the next action; ACTION_NONE: nothing is due until something is written down or a fact changes. */
enum action advance(struct course *course, const struct facts *facts);

/* Asks for a further generation, without a pause. */
void course_want(struct course *course, enum wish wish);
/* The same because somebody asked for it: everything that the files have is taken. */
void course_order(struct course *course);
/* The function is enabled: asks again for what the fence refused. */
void course_enabled(struct course *course);
/* True from draining on: nothing is deployed any more. */
bool course_is_ending(const struct course *course);
/* The same, or an order to end waits for the next look. */
bool course_is_told(const struct course *course);
/* True while a deployment is under way and still wanted. */
bool course_deploys(const struct course *course);

const char *worker_state_text(enum worker_state state);
const char *reload_state_text(enum reload_state state);

#endif
