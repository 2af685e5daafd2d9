/* Commands find their database by --database, the environment, or the dev database of this folder. */
#include "cli/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "cli/dev/devdb.h"
#include "cli/dev/devplace.h"
#include "cli/schema_verify.h"
#include "pg/conninfo.h"
#include "pg/pg_environment.h"
#include "worker/source/root.h"

/* How long a command waits for a dev that is starting, and for a database that dev is starting again or stopping. */
enum { PATIENCE_MS = 30000, RESTART_MS = 10000, POLL_MS = 100 };

static void pause_between_looks(void) { nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL); }

char *client_root(const struct settings *settings, struct err *err) {
  if (settings->root && !root_check_given(settings->root, err)) return NULL;
  char *found = settings->root ? xstrdup(settings->root) : root_find(".");
  char *root = realpath(found, NULL);
  if (!root) err_set(err, ERR_CONFIG, EXIT_USAGE, "root: %s: %s", found, strerror(errno));
  free(found);
  return root;
}

/* The state file of this folder's dev, and the folder; both owned by the caller. NULL with *err. */
static char *find_state_file(const struct settings *settings, char **root, struct err *err) {
  *root = client_root(settings, err);
  char *folder = *root ? devplace_folder(*root, err) : NULL;
  char *path = folder ? xasprintf("%s/dev.state", folder) : NULL;
  free(folder);
  return path;
}

/* Until dev has come so far, or there is none. */
static enum devlock_state await_state(const char *path, enum devlock_state least, char **conninfo) {
  enum devlock_state state = devlock_look(path, conninfo);
  for (int waited = 0; state != DEVLOCK_FREE && state < least && waited < PATIENCE_MS; waited += POLL_MS) {
    pause_between_looks();
    free(*conninfo);
    state = devlock_look(path, conninfo);
  }
  return state;
}

/* DEVLOCK_FREE also if this folder has none. */
static enum devlock_state look_at_dev(const struct settings *settings, enum devlock_state least) {
  struct err err;
  char *root, *conninfo = NULL;
  if (settings->database) return DEVLOCK_FREE;
  char *path = find_state_file(settings, &root, &err);
  enum devlock_state state = path ? await_state(path, least, &conninfo) : DEVLOCK_FREE;
  free(conninfo);
  free(path);
  free(root);
  return state;
}

bool client_dev_is_starting(const struct settings *settings) {
  return look_at_dev(settings, DEVLOCK_FREE) == DEVLOCK_DATABASE;
}

bool client_await_dev(const struct settings *settings) { return look_at_dev(settings, DEVLOCK_READY) == DEVLOCK_READY; }

bool client_check_conninfo(const struct settings *settings, enum setting setting, const char *conninfo,
                           struct err *err) {
  char source[64];
  setting_source(settings, setting, source, sizeof source);
  return !conninfo || conninfo_check(source, conninfo, err);
}

struct env_place client_env_file(const struct settings *settings, char *source, size_t size) {
  setting_source(settings, SET_env_file, source, size);
  return (struct env_place){.path = settings->env_file, .source = source};
}

void client_database_source(const struct settings *settings, char *out, size_t size) {
  if (settings->database)
    setting_source(settings, SET_database, out, size);
  else
    snprintf(out, size, "%s", DEV_SOURCE);
}

char *client_find_database(const struct settings *settings, struct err *err) {
  if (!client_check_conninfo(settings, SET_database, settings->database, err)) return NULL;
  if (settings->database) return xstrdup(settings->database);
  char *root, *conninfo = NULL;
  char *path = find_state_file(settings, &root, err);
  if (path) {
    enum devlock_state state = await_state(path, DEVLOCK_DATABASE, &conninfo);
    if (state == DEVLOCK_STARTING) {
      err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: luaflow dev for %s is still starting", root);
      err_hint(err, "try again when luaflow dev prints that it is ready");
    }
    if (state == DEVLOCK_FREE) {
      err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: none is given, and none of your luaflow dev runs for %s",
              root);
      err_hint(err, "give --database or DATABASE_URL, or start luaflow dev");
    }
    if (conninfo) pg_environment_clear(); /* PG* variables are for another server */
  }
  free(path);
  free(root);
  return conninfo;
}

bool client_connect(const struct settings *settings, const char *command, struct db *db, struct err *err) {
  bool by_dev = !settings->database;
  char source[64];
  client_database_source(settings, source, sizeof source);
  for (int waited = 0;; waited += POLL_MS) {
    char *conninfo = client_find_database(settings, err);
    bool found = conninfo != NULL, ok = found && db_open(db, source, conninfo, command, err);
    free(conninfo);
    if (ok || !found || !by_dev || err->kind != ERR_RETRY) return ok;
    if (waited >= RESTART_MS) return err_hint(err, "the database of luaflow dev is starting or stopping: try again");
    pause_between_looks();
  }
}

bool client_connect_to_schema(const struct settings *settings, const char *command, const char *role, struct db *db,
                              struct err *err) {
  if (!client_connect(settings, command, db, err)) return false;
  db->role = role;
  if (schema_verify(db, err)) return true;
  db_close(db);
  return false;
}
