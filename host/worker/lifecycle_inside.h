/* What lifecycle.c (states, the pool's wiring), connections.c (the database's), startup.c (until it runs) and drain.c (until
 * it has stopped) share. */
#ifndef LUAFLOW_WORKER_LIFECYCLE_INSIDE_H
#define LUAFLOW_WORKER_LIFECYCLE_INSIDE_H

#include <stdbool.h>

#include "pg/pg.h"
#include "worker/control/complaint.h"
#include "worker/control/heartbeat.h"
#include "worker/control/leftovers.h"
#include "worker/control/recovery.h"
#include "worker/control/statements.h"
#include "worker/control/troubles.h"
#include "worker/handler_sql/handlers.h"
#include "worker/lifecycle.h"
#include "worker/pool/pool.h"
#include "worker/reload.h"
#include "worker/source/load_report.h"
#include "worker/source/watch.h"
#include "worker/work/work.h"

/* X(state, text, states it may move to) */
#define LIFECYCLE_STATES(X)                                                        \
  X(STARTING, "starting", IN(DEPLOYING) | IN(STOPPED))                             \
  X(FENCED, "fenced", IN(DEPLOYING) | IN(STOPPED))                                 \
  X(DEPLOYING, "deploying", IN(FENCED) | IN(RUNNING) | IN(STARTING) | IN(STOPPED)) \
  X(RUNNING, "running", IN(DRAINING))                                              \
  X(DRAINING, "draining", IN(STOPPED))                                             \
  X(STOPPED, "stopped", 0)

enum lifecycle_state {
#define X(name, text, moves) LIFECYCLE_##name,
  LIFECYCLE_STATES(X)
#undef X
};

struct lifecycle {
  uv_loop_t *loop;
  const struct worker_options *options;
  struct log *log;
  enum lifecycle_state state; /* moved by lifecycle_set_state alone */
  int exit_code;
  char worker_id[37];
  char *program; /* the log's context */
  char *application_name;
  char *handler_name;                              /* the same for handlers' connections */
  char *listen;                                    /* the LISTEN statement */
  const char *control_session[SETTINGS_COUNT + 1]; /* borrowed: control_settings, listen */
  const char *root;                                /* borrowed, as in the executors' options */
  char *queue;                                     /* NULL until it is chosen */
  struct pool *pool;
  struct generation *serving;       /* NULL until the first one has loaded */
  const struct load_worker *worker; /* of the report of the one that serves */
  int64_t generation;               /* the number that it was deployed under; 0: it was not yet */
  int64_t last_generation;          /* the last number that a deployment was sent with */
  struct reload reload;
  struct watch *watch; /* NULL: nothing is watched */
  struct pg *control;
  struct work *work;
  struct heartbeat *heartbeat; /* NULL unless it beats */
  struct recovery *recovery;   /* NULL unless it runs */
  struct leftovers *leftovers; /* of lost connections */
  struct troubles *troubles;
  struct handlers *handlers;                       /* NULL before the connections are made */
  struct pg_backend control_backend, work_backend; /* of connections not lost yet */
  uint64_t lost_at;                                /* a connection is lost since then; 0: none is */
  struct outage lost;
  struct complaint complaint, unknown; /* about connections; about the deployment; about steps that were not loaded */
  uv_timer_t timer; /* next try to deploy; end of grace; end of the wait for the database. Never two at once */
  int tries_failed; /* to check or deploy, RETRY_STEPS at most */
  bool checking;    /* the schema check is under way */
  bool checked;     /* the schema fits */
  bool development; /* the database says that it is for development */
  bool fenced;      /* logged */
  bool deploy_sent; /* so the database may know this worker */
  bool killed;      /* executors were killed to end the drain */
  bool closing;     /* stopped, and the connections are closed */
  void (*ended)(void *owner);
  void *ended_owner;
};

void lifecycle_set_state(struct lifecycle *lifecycle, enum lifecycle_state state);
/* Tasks that have a handler, or a transaction that is about to end. */
int lifecycle_in_flight(const struct lifecycle *lifecycle);

/* Tells dev, if there is one; false if not. */
bool lifecycle_tell_queues(const struct lifecycle *lifecycle, const struct load_report *report);

/* connections.c: opens both for the queue. False with *err if the conninfo cannot be read. */
bool connections_open(struct lifecycle *lifecycle, struct err *err) __attribute__((warn_unused_result));

/* startup.c */
void startup_loaded(struct lifecycle *lifecycle, struct generation *generation);
void startup_not_loaded(struct lifecycle *lifecycle, const struct load_report *report, const struct err *err);
/* A connection has become ready. */
void startup_go_on(struct lifecycle *lifecycle);
/* True for errors that may pass without anybody touching the modules: of the connection, conflicts, the server's condition, rights. */
/* Prints the error and stops with its exit code. */
void startup_fail(struct lifecycle *lifecycle, const struct err *err);

/* drain.c */
/* Leaves RUNNING: stops claiming, lets what runs finish, then stops with the code. Ignored in other states. */
void drain_begin(struct lifecycle *lifecycle, const char *reason, int exit_code);
/* The same once the database has no row of this worker. */
void drain_forgotten(struct lifecycle *lifecycle);
/* Something has left a draining worker: perhaps all has. */
void drain_check(struct lifecycle *lifecycle);
/* Ends the grace. */
void drain_kill(struct lifecycle *lifecycle, const char *reason);
/* From any state but STOPPED: says good-bye to the database and closes everything. */
void drain_finish(struct lifecycle *lifecycle);
/* No executor is left. */
void drain_pool_ended(struct lifecycle *lifecycle);

#endif
