/* The connection next to handlers' connections that cancels their statements and ends their processes: of another
 * role or server than the worker's own. Rests while none of theirs is used. Knows whether it reaches the
 * worker's installation. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_SIDE_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_SIDE_H

#include <uv.h>

#include "base/err.h"
#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/leftovers.h"

struct handler_side;

struct handler_side_events {
  void (*settled)(void *owner); /* leftovers have */
  bool (*needed)(void *owner);  /* handlers use a connection, or want one */
  void (*checked)(void *owner); /* handler_side_reach has another answer */
  /* The conninfo leads to the same installation as home, on whatever server, or to another. */
  void (*found)(void *owner, bool same);
  /* The conninfo is a mistake, which shows only in the attempt; with home alone, and until it has connected once. */
  void (*refused)(void *owner, const struct err *err);
};

/* home, with control_statements: the worker's own, to compare with; NULL: nothing is compared. NULL with *err if the
 * conninfo cannot be read. */
struct handler_side *handler_side_new(uv_loop_t *loop, const char *conninfo, const char *source,
                                      const char *application_name, struct pg *home,
                                      const struct handler_side_events *events, void *owner, struct log *log,
                                      struct err *err) __attribute__((warn_unused_result));
/* Home has connected, maybe to another server. */
void handler_side_look_home(struct handler_side *side);
struct pg *handler_side_pg(const struct handler_side *side);
struct leftovers *handler_side_leftovers(const struct handler_side *side);

enum handler_reach {
  HANDLER_REACH_UNKNOWN, /* it has not been asked yet */
  HANDLER_REACH_HOME,    /* the same installation on the same server, and what a transaction needs may be called */
  HANDLER_REACH_OTHER,   /* *err says why not */
};
enum handler_reach handler_side_reach(const struct handler_side *side, struct err *err);
void handler_side_close(struct handler_side *side); /* NULL is allowed */

#endif
