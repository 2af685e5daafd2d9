/* What a worker tells the dev that has started it, since all its workers load the same: one datagram for each load,
 * and one when it serves. */
#ifndef LUAFLOW_WORKER_TELL_DEV_H
#define LUAFLOW_WORKER_TELL_DEV_H

#include <stdbool.h>

/* The first byte of a datagram; a text follows, not terminated. */
enum tell_dev_kind {
  TELL_DEV_QUEUES = 'q',  /* it went well: "a, b, c" */
  TELL_DEV_ERROR = 'e',   /* the files cannot be read or loaded: why */
  TELL_DEV_DELETES = 'd', /* it is about to delete a flow's data: see deploy_events.tell */
  TELL_DEV_SERVES = 's',  /* it has reloaded: its queue, a newline, and which files were changed */
};

enum { TELL_DEV_MAX = 100000 /* bytes of a text; more is cut */ };

/* False if there is no dev, or it does not take it. */
bool tell_dev(int socket, enum tell_dev_kind kind, const char *text);

#endif
