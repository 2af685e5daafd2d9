/* The worker's data, which its parts share. connections.c, startup.c, reload.c and drain.c write down here what has
 * happened, and lifecycle.c calls them for what is due. None of the four calls another. */
#ifndef LUAFLOW_WORKER_LIFE_H
#define LUAFLOW_WORKER_LIFE_H

#include <stdbool.h>
#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "base/settings.h"
#include "pg/pg.h"
#include "worker/advance.h"
#include "worker/control/complaint.h"
#include "worker/control/deploy_ask.h"
#include "worker/control/heartbeat.h"
#include "worker/control/leftovers.h"
#include "worker/control/old_generations.h"
#include "worker/control/recovery.h"
#include "worker/control/statements.h"
#include "worker/control/troubles.h"
#include "worker/handler_sql/handlers.h"
#include "worker/look.h"
#include "worker/pool/pool.h"
#include "worker/source/load_report.h"
#include "worker/source/source.h"
#include "worker/source/watch.h"
#include "worker/work/work.h"
#include "worker/worker_options.h"

/* Why the last attempt to reload failed. */
struct refusal {
  enum { REFUSED_READ, REFUSED_LOAD, REFUSED_DEPLOYMENT } step;
  char *error;                                        /* owned */
  char sqlstate[sizeof(((struct err *)0)->sqlstate)]; /* "": it was not the database that refused */
  char hint[sizeof(((struct err *)0)->hint)];
};

struct reload {
  const struct load_worker *worker; /* of the candidate's report, once it has loaded */
  struct source found;              /* what was read, until it is loaded */
  struct source refused;            /* the files of the last attempt, if it failed; else empty */
  struct source seen;               /* what a look without notifications has found first, until it is settled */
  uint64_t seen_at;
  struct refusal refusal;
  uint64_t began_at;
  int64_t asked;   /* the last request of `luaflow reload` that was seen */
  int64_t answers; /* the last one that the attempt under way answers; 0: none */
  int64_t answered;
  char *error;     /* owned; of the last attempt; NULL: it succeeded */
  char *held_back; /* owned; versions of the serving files that wait for an order; NULL: none */
  int failures;    /* in a row, for temporary reasons */
  int waits;       /* in a row, for who holds what the candidate's deployment needs */
  uint64_t waits_since;
  struct complaint waiting, again; /* about that, and about the serving generation's */
  uv_timer_t timer; /* of course.reload_alarm: the pause after such a failure; the time that an outdated load has */
};

/* The answer to the last deployment. */
struct deployment {
  struct err err;
  char *details; /* owned, like the next; see deploy.h */
  char *changes;
  char *held_back;
  int64_t generation;
};

struct life {
  uv_loop_t *loop;
  const struct worker_options *options;
  struct log *log;
  struct course course;
  struct course logged; /* when its states were last logged */
  struct look look;
  uv_prepare_t turn;  /* active while a look is due */
  uv_timer_t timer;   /* of course.alarm: next try to deploy; end of grace; end of the wait for the database */
  const char *reason; /* of the drain; NULL: a signal */
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
  struct generation *candidate;     /* in the pool, and to serve next; NULL if there is none */
  const struct load_worker *worker; /* of the report of the one that serves */
  int64_t generation;               /* the number that it was deployed under; 0: it was not yet */
  int64_t last_generation;          /* the last number that a deployment was sent with */
  bool whole;                       /* everything that its files have was deployed, not only what existed */
  struct deployment deployment;
  struct reload reload;
  struct watch *watch; /* NULL: nothing is watched */
  struct pg *control;  /* NULL, like the next five, before the worker connects and once it is closing */
  struct work *work;
  struct handlers *handlers;
  struct heartbeat *heartbeat; /* and NULL unless it beats */
  struct recovery *recovery;   /* and NULL unless it runs */
  struct old_generations *old; /* the same */
  struct leftovers *leftovers; /* of lost connections */
  struct troubles *troubles;
  struct pg_backend control_backend, work_backend; /* of connections not lost yet */
  uint64_t lost_at;                                /* a connection is lost since then; 0: none is */
  struct outage lost;
  struct complaint complaint, unknown; /* about the check or the deployment; about steps that were not loaded */
  int tries_failed;                    /* to check or deploy, RETRY_STEPS at most */
  bool development;                    /* the database says that it is for development */
  void (*ended)(void *owner);
  void *ended_owner;
};

/* Something was written down: the look follows before the loop sleeps. */
void life_kick(struct life *life);
/* Arms the alarm of the worker's state. */
void life_wait(struct life *life, uint64_t ms);
/* The worker cannot start: prints the error, and the details (further lines) unless NULL. The worker ends with the
 * error's exit code. Ignored after the first time. */
void life_fail(struct life *life, const struct err *err, const char *details);
/* The same, but prints nothing. */
void life_fail_quietly(struct life *life, enum exit_code exit_code);
/* The worker must finish its tasks and end with the code. Ignored if it ends already. reason is borrowed; NULL: a
 * signal. */
void life_drain(struct life *life, const char *reason, enum exit_code exit_code);
/* The same because the database has no row of this worker; logs that. */
void life_forgotten(struct life *life);
/* A further generation is wanted. */
void life_reload(struct life *life, enum wish wish);
/* The same because somebody asked for it. */
void life_order_reload(struct life *life);
/* Changed files bring new versions only when somebody orders it. */
bool life_is_cautious(const struct life *life);
/* What is deployed of a registry that is wanted as a whole, or of changed files. */
enum deploy_extent life_extent(const struct life *life, bool whole);
/* The connections are closed: results of executors cannot be recorded. */
bool life_is_closing(const struct life *life);
/* Tasks that have a handler, or a transaction that is about to end. */
int life_in_flight(const struct life *life);
/* Reports the loaded queues to dev; false if there is no dev. */
bool life_tell_queues(const struct life *life, const struct load_report *report);

#endif
