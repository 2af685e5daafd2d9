/* By the catalog first, which every role can read, then by the schema's own tables. */
#include "cli/schema_verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "base/version.h"
#include "worker/control/schema_check.h"

bool schema_find(struct db *db, bool *exists, struct err *err) {
  char place[PG_PLACE];
  PGresult *result;
  if (!db_run(db, DB_SCHEMA_EXISTS, NULL, &result, err)) return false;
  *exists = db_bool(result, 0, 0);
  bool ours = db_bool(result, 0, 1);
  PQclear(result);
  if (!*exists || ours) return true;
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: the schema pgflow in this database was not created by luaflow (%s)",
          db_place(db, place));
  return err_hint(err, "nothing was changed; use another database, or rename or drop that schema first");
}

/* False where row security hides rows from the functions or from this role. */
static bool check_visible(struct db *db, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_SCHEMA_HIDDEN, NULL, &result, err)) return false;
  bool hidden = PQntuples(result) > 0;
  if (hidden) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: %s", db_text(result, 0, 0));
    err_hint(err, "%s", db_text(result, 0, 1));
  }
  PQclear(result);
  return !hidden;
}

bool schema_read_version(struct db *db, int *version, bool *too_new, struct err *err) {
  const char *parameters[] = {LUAFLOW_VERSION};
  PGresult *result;
  bool exists;
  *version = 0;
  *too_new = false;
  if (!schema_find(db, &exists, err)) return false;
  if (!exists) return true;
  if (!check_visible(db, err) || !db_run(db, DB_SCHEMA_VERSION, parameters, &result, err)) return false;
  if (PQntuples(result) == 1) {
    *version = (int)db_number(result, 0, 0);
    *too_new = db_bool(result, 0, 2);
  }
  PQclear(result);
  return true;
}

bool schema_refuse_newer(int version, struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_DATABASE,
          "schema: the database is at version %d, but luaflow %s knows versions up to %d", version, LUAFLOW_VERSION,
          schema_own_version());
  return err_hint(err, "use the newer luaflow that upgraded this database; nothing was changed");
}

/* migrate refuses another encoding. */
static bool refuse_empty(const struct db *db, struct err *err) {
  char place[PG_PLACE];
  const char *encoding = PQparameterStatus(db->connection, "server_encoding");
  bool fits = !encoding || strcmp(encoding, "UTF8") == 0;
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: this database has no luaflow schema (%s)", db_place(db, place));
  return fits ? err_hint(err, "luaflow migrate installs it")
              : err_hint(err, "its encoding is %s, but luaflow needs UTF8; create another: " SCHEMA_CREATE_UTF8,
                         encoding);
}

bool schema_verify_whole(struct db *db, struct err *err) {
  char *functions = schema_part_names(SCHEMA_FUNCTIONS), *views = schema_part_names(SCHEMA_VIEWS);
  const char *parameters[] = {functions, views};
  PGresult *result;
  bool ok = db_run(db, DB_SCHEMA_MISSING, parameters, &result, err);
  free(functions);
  free(views);
  if (!ok) return false;
  const char *missing = db_text(result, 0, 0);
  if (missing) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: it is incomplete: it lacks %s", missing);
    err_hint(err, "run `luaflow migrate`, which creates functions and views again");
  }
  ok = !missing;
  PQclear(result);
  return ok;
}

bool schema_verify(struct db *db, struct err *err) {
  int version;
  bool too_new;
  if (!schema_read_version(db, &version, &too_new, err)) {
    bool only_rights =
        sqlstate_lacks_right(err->sqlstate); /* a role that may only start runs cannot read the version */
    if (only_rights) *err = (struct err){0};
    return only_rights;
  }
  if (version == 0) return refuse_empty(db, err);
  if (version < schema_own_version()) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: the database is at version %d, but luaflow %s needs %d", version,
            LUAFLOW_VERSION, schema_own_version());
    return err_hint(err, "luaflow migrate upgrades it");
  }
  return too_new ? schema_refuse_newer(version, err) : true;
}
