/* One attempt a second to connect. */
#include "cli/reconnect.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "base/sqlstate.h"

enum { RECONNECT_MS = 1000, RECONNECTS = 60 };

bool reconnect(struct db *db, const struct signals *signals, bool *interrupted, struct err *err) {
  if (sqlstate_is_locked_out(err->sqlstate)) {
    say(stderr, "luaflow: %s; waiting\n", err->message);
    return true;
  }
  if (err->kind != ERR_RETRY) return false;
  say(stderr, "luaflow: %s; connecting again\n", err->message);
  for (int i = 0; i < RECONNECTS; i++) {
    if (signals_wait(signals, RECONNECT_MS) != 0) {
      *interrupted = true;
      return false;
    }
    if (db_reopen(db, err)) return true;
  }
  return false;
}
