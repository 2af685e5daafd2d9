/* The dev database: a private server with PGMQ and the schema, marked as a development database. */
#ifndef LUAFLOW_CLI_DEV_DEVDB_H
#define LUAFLOW_CLI_DEV_DEVDB_H

#include "cli/dev/devplace.h"
#include "cli/dev/devserver.h"

/* Names its conninfo in errors. */
#define DEV_SOURCE "the database of luaflow dev"

struct devdb {
  struct devserver server;
  struct devlock data_lock; /* one server on one folder of data */
  struct devlock root_lock; /* one dev in one root; other commands find the database by it */
};

/* Takes the places: data in the folder data, or in the root's own if it is NULL; root NULL: nobody finds it by a root.
 * False if another dev holds one of them, or on any other failure. devdb_close is due in any case. */
bool devdb_open(struct devdb *db, const char *root, const char *data, struct err *err)
    __attribute__((warn_unused_result));
/* Starts the server, creates the database if needed and migrates it, then lets other commands find it. A signal
 * breaks it off: true with *signal set. */
bool devdb_start(struct devdb *db, bool reset, const struct signals *signals, int *signal, struct log *log,
                 struct err *err) __attribute__((warn_unused_result));
/* Lets other commands know that workers serve all flows. */
bool devdb_set_ready(struct devdb *db, struct err *err) __attribute__((warn_unused_result));
/* Ends the server if it runs and gives the places up. */
void devdb_close(struct devdb *db, struct log *log);

#endif
