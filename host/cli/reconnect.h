/* A look that failed under somebody who waits at a terminal, and may succeed later. */
#ifndef LUAFLOW_CLI_RECONNECT_H
#define LUAFLOW_CLI_RECONNECT_H

#include "cli/db.h"
#include "cli/signals.h"

/* Renews the connection if it broke, for a minute at most; says so on standard error, with *err, the reason, as it does
 * if somebody holds a lock for long. False: another error, given up (*err), or a signal came (*interrupted). */
bool reconnect(struct db *db, const struct signals *signals, bool *interrupted, struct err *err)
    __attribute__((warn_unused_result));

#endif
