/* A connection that broke under somebody who waits at a terminal. */
#ifndef LUAFLOW_CLI_RECONNECT_H
#define LUAFLOW_CLI_RECONNECT_H

#include "cli/db.h"
#include "cli/signals.h"

/* Renews the connection, for a minute at most; says so on standard error, with *err, the reason. False: given up
 * (*err), or a signal came (*interrupted). */
bool reconnect(struct db *db, const struct signals *signals, bool *interrupted, struct err *err)
    __attribute__((warn_unused_result));

#endif
