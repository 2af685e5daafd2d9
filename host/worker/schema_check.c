/* Comparing the newest migration of the database with those inside this program. */
#include "worker/schema_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "worker/statements.h"

struct check {
  void (*done)(void *owner, bool development, const struct err *err);
  void *owner;
};

static const char migrations_folder[] = "sql/migrations/";

/* The number of the newest migration that this program carries. */
static int own_version(void) {
  size_t count;
  const struct embed_file *files = embed_files(&count);
  int newest = 0;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(files[i].path, migrations_folder, sizeof migrations_folder - 1) != 0) continue;
    int version = atoi(files[i].path + sizeof migrations_folder - 1);
    if (version > newest) newest = version;
  }
  return newest;
}

static bool compare(const PGresult *result, struct err *err) {
  if (PQntuples(result) == 0) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is empty");
    return err_hint(err, "run `luaflow migrate`");
  }
  int version = atoi(PQgetvalue(result, 0, 0));
  if (version < own_version()) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema is at version %d, this program needs %d", version,
            own_version());
    return err_hint(err, "run `luaflow migrate`");
  }
  if (strcmp(PQgetvalue(result, 0, 2), "t") == 0) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema needs luaflow %s or newer, this is %s",
            PQgetvalue(result, 0, 1), LUAFLOW_VERSION);
    return err_hint(err, "install a newer luaflow");
  }
  return true;
}

void schema_set_pooled(struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: a transaction pooler is in the way");
  err_hint(err, "a worker needs a session of its own: connect to the server directly, or to a pooler in session mode");
}

void schema_explain(struct err *err) {
  static const char *const missing[] = {"3F000", "42P01", "42883", "42703"};
  static const char *const pooled[] = {"26000",
                                       "42P05"}; /* a prepared statement is gone, or somebody else's is there */
  if (strcmp(err->sqlstate, "LF001") == 0) {     /* of the sessions' settings */
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: the schema pgflow in this database was not made by luaflow");
    err_hint(err, "nothing was changed; use another database, or rename or drop that schema first");
    return;
  }
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    if (strcmp(err->sqlstate, missing[i]) != 0) continue;
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is missing or too old");
    err_hint(err, "run `luaflow migrate`");
    return;
  }
  for (size_t i = 0; i < sizeof pooled / sizeof *pooled; i++) {
    if (strcmp(err->sqlstate, pooled[i]) != 0) continue;
    schema_set_pooled(err);
    return;
  }
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct check *check = owner;
  struct err found;
  if (err) {
    found = *err;
    schema_explain(&found);
    check->done(check->owner, false, &found);
  } else {
    const PGresult *result = pg_unit_result(unit, 0);
    bool fits = compare(result, &found);
    check->done(check->owner, fits && strcmp(PQgetvalue(result, 0, 3), "t") == 0, fits ? NULL : &found);
  }
  free(check);
}

void schema_check(struct pg *pg, void (*done)(void *owner, bool development, const struct err *err), void *owner) {
  struct check *check = xcalloc(1, sizeof *check);
  check->done = done;
  check->owner = owner;
  struct pg_unit *unit = pg_unit_new(on_done, check);
  pg_param_text(pg_unit_add(unit, &control_statements[STMT_SCHEMA]), LUAFLOW_VERSION);
  pg_submit(pg, unit);
}
