/* Applies ROOT/sql: what is applied already is known by name, in a schema of dev's own. */
#include "cli/dev/devsql.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "cli/db.h"
#include "cli/dev/devdb.h"
#include "cli/dev/devfiles.h"

/* One file in a transaction that also notes it. */
static bool apply(struct db *db, const char *path, const char *name, const char *sql, struct err *err) {
  const char *parameters[] = {name, sql};
  return db_run(db, DB_BEGIN, NULL, NULL, err) && db_run_script(db, path, sql, err) &&
         db_run(db, DB_NOTE_SQL_FILE, parameters, NULL, err) && db_run(db, DB_COMMIT, NULL, NULL, err);
}

static bool look_at(struct db *db, const char *path, struct log *log, struct err *err) {
  const char *name = strrchr(path, '/') + 1;
  char *sql = devfiles_read(path, err);
  const char *parameters[] = {name, sql};
  PGresult *known;
  if (!sql) return false;
  bool good = db_run(db, DB_SQL_FILE, parameters, &known, err);
  if (good) {
    bool is_new = PQntuples(known) == 0, is_same = !is_new && db_bool(known, 0, 0);
    PQclear(known);
    if (is_new) good = apply(db, path, name, sql, err);
    if (good && is_new) LOG(log, LOG_INFO, "sql_applied", LOG_STR("file", name));
    if (!is_new && !is_same)
      LOG(log, LOG_WARN, "sql_changed", LOG_STR("file", name),
          LOG_STR("message", "it has changed since it was applied, and is not applied a second time"),
          LOG_STR("hint", "write the change into a new file, or delete the database's data with luaflow dev --reset"));
  }
  free(sql);
  return good;
}

static bool look_at_all(struct db *db, const glob_t *files, struct log *log, struct err *err) {
  if (!db_run(db, DB_CREATE_SQL_FILES, NULL, NULL, err)) return false;
  for (size_t i = 0; i < files->gl_pathc; i++)
    if (!look_at(db, files->gl_pathv[i], log, err)) return false;
  return true;
}

bool devsql_apply(const struct devserver *server, const char *root, struct log *log, struct err *err) {
  char *pattern = xasprintf("%s/sql/*.sql", root);
  glob_t files;
  int found = glob(pattern, 0, NULL, &files);
  free(pattern);
  if (found == GLOB_NOMATCH) return true;
  if (found != 0) return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s/sql cannot be read", root);
  struct db db;
  bool good = db_open(&db, DEV_SOURCE, server->conninfo, "dev", err);
  if (good) {
    good = look_at_all(&db, &files, log, err);
    db_close(&db);
  }
  globfree(&files);
  return good;
}
