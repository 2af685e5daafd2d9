/* Watching a run until it has ended: a live tree on a terminal, lines when piped, both on stderr. */
#ifndef LUAFLOW_CLI_VIEW_FOLLOW_H
#define LUAFLOW_CLI_VIEW_FOLLOW_H

#include "cli/db.h"
#include "cli/view/runview.h"

enum follow_end { FOLLOW_ENDED, FOLLOW_DETACHED, FOLLOW_FAILED };

/* Follows the run; Ctrl-C detaches. FOLLOW_ENDED: *view is the run's last state, to be freed. FOLLOW_FAILED: *err; a
 * connection that breaks is renewed for a minute before that. */
enum follow_end follow_run(struct db *db, const char *run_id, struct runview *view, struct err *err);

#endif
