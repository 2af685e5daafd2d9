/* Turns a bare server into a database that flows can run on. */
#include "cli/dev/devdb.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/db.h"
#include "cli/dev/devfiles.h"
#include "cli/schema.h"

/* PGMQ's whole installation is one file, pgmq--VERSION.sql; those that lead from one version to another have two. */
static char *find_pgmq_script(void) {
  const char *data = getenv("XDG_DATA_HOME");
  const char *home = getenv("HOME");
  if ((!data || *data != '/') && (!home || *home != '/')) return NULL;
  char *pattern = data && *data == '/' ? xasprintf("%s/luaflow/pgmq/pgmq--*.sql", data)
                                       : xasprintf("%s/.local/share/luaflow/pgmq/pgmq--*.sql", home);
  glob_t found;
  char *best = NULL;
  if (glob(pattern, 0, NULL, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; i++) {
      const char *version = strrchr(found.gl_pathv[i], '/') + strlen("/pgmq--");
      if (strstr(version, "--") || (best && strverscmp(best, found.gl_pathv[i]) > 0)) continue;
      free(best);
      best = xstrdup(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  free(pattern);
  return best;
}

/* Without the extension on the server, PGMQ's SQL alone does; migrate then finds its schema. */
static bool install_plain_pgmq(struct db *db, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_PGMQ_STATE, NULL, &result, err)) return false;
  bool needed = !db_text(result, 0, 0) && !db_bool(result, 0, 1) && !db_bool(result, 0, 2);
  PQclear(result);
  if (!needed) return true;
  char *path = find_pgmq_script();
  if (!path) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: PGMQ is not installed for this Postgres");
    return err_hint(
        err, "run tools/setup, which installs it; dev also looks for its SQL file in ~/.local/share/luaflow/pgmq");
  }
  char *sql = devfiles_read(path, err);
  bool ok = sql && db_run_script(db, path, sql, err);
  free(sql);
  free(path);
  return ok;
}

static bool create_database(const struct devserver *server, struct err *err) {
  struct db db;
  if (!db_open(&db, DEV_SOURCE, server->admin_conninfo, "dev", err)) return false;
  PGresult *result;
  const char *parameters[] = {"luaflow"};
  bool ok = db_run(&db, DB_DATABASE_EXISTS, parameters, &result, err);
  if (ok) {
    bool exists = PQntuples(result) > 0;
    PQclear(result);
    ok = exists || db_run_script(&db, "dev", "create database luaflow", err) /* in no transaction */;
  }
  db_close(&db);
  return ok;
}

static bool fill_database(const struct devserver *server, struct log *log, struct err *err) {
  struct db db;
  if (!db_open(&db, DEV_SOURCE, server->conninfo, "dev", err)) return false;
  struct schema_report report;
  bool ok = install_plain_pgmq(&db, err) && schema_migrate(&db, &report, err) &&
            db_run(&db, DB_MARK_DEVELOPMENT, NULL, NULL, err) &&
            (!devfiles_has_library(server->programs, "pg_stat_statements") ||
             db_run(&db, DB_CREATE_STATISTICS, NULL, NULL, err));
  if (ok && report.applied > 0) LOG(log, LOG_INFO, "schema_migrated", LOG_INT("version", report.version));
  db_close(&db);
  return ok;
}

static char *state_file(const char *folder) { return xasprintf("%s/dev.state", folder); }

static bool take(struct devlock *lock, const char *folder, const char *what, struct err *err) {
  char *path = state_file(folder);
  bool ok = devlock_take(lock, path, what, err);
  free(path);
  return ok;
}

/* The folder as an absolute path without links, owned by the caller; it is created if needed. */
static char *resolve(const char *folder, struct err *err) {
  if (!devplace_make(folder, geteuid() == 0 ? 0755 : 0700, err)) return NULL;
  char *resolved = realpath(folder, NULL);
  if (!resolved) err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s: %s", folder, strerror(errno));
  return resolved;
}

bool devdb_open(struct devdb *db, const char *root, const char *data, struct err *err) {
  *db = (struct devdb){.data_lock.fd = -1, .root_lock.fd = -1};
  char *own = root ? devplace_folder(root, err) : NULL;
  bool ok = !root || own;
  char *own_resolved = ok && own ? resolve(own, err) : NULL;
  ok = ok && (!own || own_resolved);
  char *data_resolved = ok && data ? resolve(data, err) : NULL;
  ok = ok && (!data || data_resolved);
  const char *folder = data_resolved ? data_resolved : own_resolved;
  bool apart = own_resolved && data_resolved && strcmp(own_resolved, data_resolved) != 0;
  ok = ok && devserver_prepare(&db->server, folder, err) &&
       take(apart || !root ? &db->data_lock : &db->root_lock, folder, root && !apart ? root : folder, err) &&
       (!apart || take(&db->root_lock, own_resolved, root, err));
  free(own);
  free(own_resolved);
  free(data_resolved);
  return ok;
}

bool devdb_start(struct devdb *db, bool reset, const struct signals *signals, int *signal, struct log *log,
                 struct err *err) {
  *signal = 0;
  if (!devserver_clear(&db->server, reset, log, err)) return false;
  if (!devserver_start(&db->server, signals, signal, log, err)) return false;
  if (*signal) return true;
  if (!create_database(&db->server, err) || !fill_database(&db->server, log, err)) return false;
  return db->root_lock.fd < 0 || devlock_publish(&db->root_lock, db->server.conninfo, false, err);
}

bool devdb_set_ready(struct devdb *db, struct err *err) {
  return devlock_publish(&db->root_lock, db->server.conninfo, true, err);
}

void devdb_close(struct devdb *db, struct log *log) {
  devserver_stop(&db->server, log);
  devlock_release(&db->root_lock);
  devlock_release(&db->data_lock);
  devserver_free(&db->server);
}
