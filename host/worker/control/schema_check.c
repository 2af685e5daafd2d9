/* Comparing the newest migration of the database with those inside this program. */
#include "worker/control/schema_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/embed.h"
#include "base/sqlstate.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "worker/control/statements.h"

struct check {
  struct pg *pg;
  void (*done)(void *owner, bool development, const struct err *err);
  void *owner;
};

static const char migrations_folder[] = "sql/migrations/";

int schema_own_version(void) {
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

char *schema_part_names(const char *folder) {
  struct buf names = {0};
  size_t count;
  const struct embed_file *files = embed_files(&count);
  for (size_t i = 0; i < count; i++) {
    const char *name = strrchr(files[i].path, '/') + 1;
    if (strncmp(files[i].path, folder, strlen(folder)) != 0) continue;
    buf_printf(&names, "%s%.*s", names.len ? "," : "{", (int)strcspn(name, "."), name);
  }
  buf_printf(&names, "}");
  return names.data;
}

static bool compare(const PGresult *result, struct err *err) {
  if (PQgetisnull(result, 0, 0)) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is empty");
    return err_hint(err, "run `luaflow migrate`");
  }
  int version = atoi(PQgetvalue(result, 0, 0));
  if (version < schema_own_version()) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema is at version %d, but this program needs %d", version,
            schema_own_version());
    return err_hint(err, "run `luaflow migrate`");
  }
  if (strcmp(PQgetvalue(result, 0, 2), "t") == 0) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema needs luaflow %s or newer, but this is %s",
            PQgetvalue(result, 0, 1), LUAFLOW_VERSION);
    return err_hint(err, "install a newer luaflow");
  }
  if (!PQgetisnull(result, 0, 4)) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is incomplete: it lacks %s",
            PQgetvalue(result, 0, 4));
    return err_hint(err, "run `luaflow migrate`, which creates functions and views again");
  }
  return true;
}

void schema_set_pooled(struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: a transaction pooler is in the way");
  err_hint(err, "a worker needs its own session: connect to the server directly, or to a pooler in session mode");
}

void schema_explain(struct err *err, const char *place) {
  char said[sizeof err->message];
  snprintf(said, sizeof said, "%s", err_plain(err->message));
  if (sqlstate_is_foreign_schema(err->sqlstate)) { /* of the sessions' settings */
    err_set(err, ERR_CONFIG, EXIT_DATABASE,
            "schema: the schema pgflow in this database was not created by luaflow (%s)", place);
    err_hint(err, "nothing was changed; use another database, or rename or drop that schema first");
  } else if (sqlstate_lacks_schema(err->sqlstate)) { /* of the same */
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is missing (%s)", place);
    err_hint(err, "run `luaflow migrate`");
  } else if (sqlstate_is_hidden_schema(err->sqlstate)) { /* of the same */
    char hint[sizeof err->hint];
    snprintf(hint, sizeof hint, "%s", err->hint);
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: %s", said);
    err_hint(err, "%s", hint);
  } else if (sqlstate_lacks_object(err->sqlstate)) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the schema pgflow is too old or incomplete: %s", said);
    err_hint(err, "run `luaflow migrate`");
  } else if (sqlstate_is_of_pooler(err->sqlstate)) {
    schema_set_pooled(err);
    size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof err->message - length, ": %s", said);
  }
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct check *check = owner;
  struct err found;
  if (err) {
    found = *err;
    schema_explain(&found, pg_place(check->pg));
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
  check->pg = pg;
  check->done = done;
  check->owner = owner;
  struct pg_unit *unit = pg_unit_new(on_done, check);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_SCHEMA]);
  char *functions = schema_part_names(SCHEMA_FUNCTIONS), *views = schema_part_names(SCHEMA_VIEWS);
  pg_param_text(params, LUAFLOW_VERSION);
  pg_param_text(params, functions);
  pg_param_text(params, views);
  free(functions);
  free(views);
  pg_submit(pg, unit);
}
