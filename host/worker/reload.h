/* A further generation beside the one that serves: read, loaded, deployed, switched to. Whatever goes wrong before the switch leaves
 * the old one serving. Part of lifecycle.c. */
#ifndef LUAFLOW_WORKER_RELOAD_H
#define LUAFLOW_WORKER_RELOAD_H

#include <stdint.h>
#include <uv.h>

#include "worker/control/deploy.h"
#include "worker/source/source_read.h"

struct lifecycle;

/* X(state, text, states it may move to) */
#define RELOAD_STATES(X)                                                                     \
  X(IDLE, "idle", IN(READING) | IN(HOLDING))                                                 \
  X(READING, "reading", IN(LOADING) | IN(IDLE))                                              \
  X(LOADING, "loading", IN(LOADED) | IN(IDLE))                                               \
  X(LOADED, "loaded", IN(HOLDING) | IN(IDLE))     /* the worker is to say where it stands */ \
  X(HOLDING, "holding", IN(DEPLOYING) | IN(IDLE)) /* the claim in flight is to return */     \
  X(DEPLOYING, "deploying", IN(IDLE))

enum reload_state {
#define X(name, text, moves) RELOAD_##name,
  RELOAD_STATES(X)
#undef X
};

/* Why there is to be a generation. */
enum reload_cause {
  RELOAD_CHANGED, /* something on the disk may have: bytes that are known change nothing */
  RELOAD_AGAIN,   /* the last one has failed for a reason that may pass: also with the same bytes */
  RELOAD_ORDERED, /* somebody has asked for it: also with the same bytes */
};

struct reload {
  enum reload_state state;             /* moved by set_state alone */
  bool wanted;                         /* a further one, as soon as this one is over */
  enum reload_cause cause, next_cause; /* of the one under way; of the one that is wanted */
  bool fenced;                         /* the last one was refused since the function is disabled */
  bool waits;                          /* for an old generation to go: logged */
  bool stale;                    /* the database has another generation: the one that serves is to be deployed again */
  struct generation *generation; /* the new one, while there is one; NULL: the one that serves is deployed again */
  const struct load_worker *worker; /* of the new one's report, from LOADED on */
  uint64_t began_at;
  struct source refused; /* what the last attempt was made from, if it failed; empty if it did not */
  char *error;           /* owned; of the last attempt; NULL: it went well */
  int failures;          /* in a row, for reasons that may pass */
  uv_timer_t retry;      /* after such a failure */
  uv_timer_t patience;   /* runs while a load goes on for bytes that have changed meanwhile */
};

void reload_init(struct lifecycle *lifecycle);
void reload_want(struct lifecycle *lifecycle, enum reload_cause cause);
/* Something that it may wait for has happened. */
void reload_go_on(struct lifecycle *lifecycle);
/* Of a generation that is not the first. */
void reload_loaded(struct lifecycle *lifecycle, struct generation *generation);
void reload_not_loaded(struct lifecycle *lifecycle, struct generation *generation, const struct load_report *report,
                       const struct err *err);
/* The worker's function is enabled: what was refused for that is tried again. */
void reload_on_enabled(struct lifecycle *lifecycle);
/* A claim was refused since the database has another generation. */
void reload_on_stale(struct lifecycle *lifecycle);
/* The worker ends: what is under way is given up, and none is begun. */
void reload_stop(struct lifecycle *lifecycle);
/* Closes its handles. */
void reload_close(struct lifecycle *lifecycle);
void reload_free(struct lifecycle *lifecycle);
/* "reading" and so on; NULL while there is none. */
const char *reload_state_text(const struct lifecycle *lifecycle);

#endif
