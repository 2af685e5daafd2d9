/* Where the dev database of a root folder lies, and who runs it: the state file that other commands find it by. */
#ifndef LUAFLOW_CLI_DEV_DEVPLACE_H
#define LUAFLOW_CLI_DEV_DEVPLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/* The folder of a root's dev database, owned by the caller: /var/lib/luaflow/HASH for root, else luaflow/HASH in
 * $XDG_STATE_HOME or ~/.local/state. NULL: neither variable nor account names a home (*err, exit 1). */
char *devplace_folder(const char *root, struct err *err);
/* The folder for the Unix socket of the database in folder, short whatever folder is; owned by the caller. */
char *devplace_socket_folder(const char *folder);
/* Creates the folder and those above it. */
bool devplace_make(const char *folder, mode_t mode, struct err *err) __attribute__((warn_unused_result));

/* A file that is locked while its owner lives, whatever ends it; what it holds is worth something only meanwhile. */
struct devlock {
  int fd; /* -1: not held */
};

/* Takes the lock, making the file. False if another process holds it, or on any other failure (*err, exit 1); what says
 * whose it is, such as a folder. */
bool devlock_take(struct devlock *lock, const char *path, const char *what, struct err *err)
    __attribute__((warn_unused_result));
/* Publishes the conninfo of the database that serves now, and whether the workers do too. */
bool devlock_publish(const struct devlock *lock, const char *conninfo, bool ready, struct err *err)
    __attribute__((warn_unused_result));
/* Empties the file and lets it go; nothing if it is not held. */
void devlock_release(struct devlock *lock);

enum devlock_state { DEVLOCK_FREE, DEVLOCK_STARTING, DEVLOCK_DATABASE /* it serves */, DEVLOCK_READY /* all do */ };
/* Whether anybody holds the lock, and from DEVLOCK_DATABASE on the conninfo, owned by the caller. */
enum devlock_state devlock_look(const char *path, char **conninfo);

#endif
