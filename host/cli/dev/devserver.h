/* A private Postgres server: its programs, account and data, starting and ending it. It listens on a Unix socket
 * alone. */
#ifndef LUAFLOW_CLI_DEV_DEVSERVER_H
#define LUAFLOW_CLI_DEV_DEVSERVER_H

#include "base/log.h"
#include "cli/dev/child.h"
#include "cli/signals.h"

struct devserver {
  char *folder;   /* absolute: holds data and log */
  char *data;     /* PGDATA */
  char *log_file; /* what the server says */
  char *socket_folder;
  char *programs;       /* folder of initdb and postgres */
  char *conninfo;       /* of its database luaflow */
  char *admin_conninfo; /* of its database postgres */
  bool has_account;     /* root cannot run a server: it runs under account */
  struct account account;
  pid_t pid; /* 0: not running */
};

/* Finds out where everything lies, for data in folder (absolute), and creates the folder; nothing runs yet. */
bool devserver_prepare(struct devserver *server, const char *folder, struct err *err)
    __attribute__((warn_unused_result));
/* Ends what a killed dev left running there, with reset deletes the data, and finds the programs that fit. The caller
 * holds the folder's lock. */
bool devserver_clear(struct devserver *server, bool reset, struct log *log, struct err *err)
    __attribute__((warn_unused_result));
/* Creates the data if there is none, starts the server and waits until it answers. A signal breaks that off: true with
 * server->pid as it then is and *signal set. */
bool devserver_start(struct devserver *server, const struct signals *signals, int *signal, struct log *log,
                     struct err *err) __attribute__((warn_unused_result));
/* Ends it, as fast as is safe, and waits for that; a server that does not end within a minute is ended hard. */
void devserver_stop(struct devserver *server, struct log *log);
void devserver_free(struct devserver *server);

#endif
