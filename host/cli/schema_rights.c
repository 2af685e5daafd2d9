/* What the role that migrates needs, and who can give it. */
#include "cli/schema_rights.h"

#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "base/sqlstate.h"
#include "cli/schema_verify.h"

/* For the role that will own the functions and create queues. */
#define GRANT_PGMQ "grant usage, create on schema pgmq to %s; grant all on all tables in schema pgmq to %s"

bool schema_check_owner(struct db *db, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_SCHEMA_OWNER, NULL, &result, err)) return false;
  bool foreign = PQntuples(result) > 0;
  if (foreign) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE,
            "schema: the schema pgflow in this database belongs to role %s, but you connected as %s",
            db_text(result, 0, 0), db_text(result, 0, 1));
    err_hint(err, "nothing was changed; migrate as role %s", db_text(result, 0, 0));
  }
  PQclear(result);
  return !foreign;
}

/* Code of another role could be in schema pgmq too, when it is found for the first time: an extension is also created
 * in an existing schema, and its owner can add functions there. Later the settings list the trusted roles, and
 * deployments check them (_pgmq_distrust). */
static bool refuse_foreign_pgmq(const char *owner, const char *creator, struct err *err) {
  if (!owner) {
    bool everyone = strcmp(creator, "public") == 0;
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "PGMQ: %s%s can create objects in schema pgmq of this database",
            everyone ? "every role" : "role ", everyone ? "" : creator);
    return err_hint(
        err, "nothing was changed; such objects could run with your rights: revoke create on schema pgmq from %s",
        creator);
  }
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "PGMQ: schema pgmq of this database, or an object in it, belongs to role %s",
          owner);
  return err_hint(err,
                  "nothing was changed; its code would run with your rights: migrate as role %s, or make your role the "
                  "owner of all of it",
                  owner);
}

/* Adds who can give what installing needs. Returns false. A trusted extension needs no more than the schema does. */
static bool explain_rights(struct db *db, bool is_pgmq, struct err *err) {
  PGresult *result;
  struct err unknown;
  if (!sqlstate_lacks_right(err->sqlstate) || PQtransactionStatus(db->connection) != PQTRANS_IDLE ||
      !db_run(db, DB_PLACE_TO_INSTALL, NULL, &result, &unknown))
    return false;
  bool may_create = db_bool(result, 0, 0), is_trusted = db_bool(result, 0, 4);
  const char *database = db_text(result, 0, 1), *role = db_text(result, 0, 2), *owner = db_text(result, 0, 3);
  if (is_pgmq && !is_trusted)
    err_hint(err,
             "a superuser must run, in database %s: create extension pgmq; " GRANT_PGMQ "; then migrate again as %s",
             database, role, role, role);
  else if (!may_create)
    err_hint(err, "role %s, which owns the database, or a superuser must run: grant create on database %s to %s", owner,
             database, role);
  PQclear(result);
  return false;
}

bool schema_ensure_pgmq(struct db *db, int version, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_PGMQ_STATE, NULL, &result, err)) return false;
  bool is_extension = db_text(result, 0, 0) != NULL;
  bool is_recent = db_bool(result, 0, 0);
  bool is_plain_sql = db_bool(result, 0, 1);
  bool is_available = db_bool(result, 0, 2);
  const char *owner = db_text(result, 0, 4);
  const char *creator = db_text(result, 0, 5);
  bool is_foreign = version == 0 && (owner || creator);
  if (is_foreign) {
    refuse_foreign_pgmq(owner, creator, err);
  } else if (is_extension && !is_recent) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "PGMQ: version %s is installed, but luaflow needs 1.5 or newer",
            db_text(result, 0, 3));
    err_hint(err, "upgrade it: alter extension pgmq update");
  }
  PQclear(result);
  if (is_foreign) return false;
  if (is_extension) return is_recent;
  if (is_plain_sql) return true;
  if (is_available) return db_run(db, DB_CREATE_PGMQ, NULL, NULL, err) || explain_rights(db, true, err);
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "PGMQ: the server does not have the extension pgmq");
  return err_hint(err, "install the extension pgmq on the server, or apply its SQL-only installation to this database");
}

void schema_warn_of_roles(struct db *db) {
  PGresult *result;
  struct err unknown;
  if (!db_run(db, DB_MISSING_ROLES, NULL, &result, &unknown)) return;
  if (db_text(result, 0, 0))
    say(stderr,
        "luaflow: database: these roles are missing, and this role cannot create them: %s\n"
        "hint: have an administrator run: %s then migrate again\n",
        db_text(result, 0, 0), db_text(result, 0, 1));
  PQclear(result);
}

void schema_warn_of_pgmq(struct db *db) {
  PGresult *result;
  struct err unknown;
  if (!db_run(db, DB_PGMQ_RIGHTS_LOST, NULL, &result, &unknown)) return;
  if (PQntuples(result) > 0) {
    const char *owner = db_text(result, 0, 0), *database = db_text(result, 0, 1);
    say(stderr,
        "luaflow: database: role %s, which owns schema pgflow, lacks rights on schema pgmq, as after a restore without "
        "privileges: workers cannot use their queues\n"
        "hint: a superuser must run, in database %s: " GRANT_PGMQ "\n",
        owner, database, owner, owner);
  }
  PQclear(result);
}

bool schema_explain_rights(struct db *db, struct err *err) {
  struct err unknown;
  if (*err->hint || !sqlstate_lacks_right(err->sqlstate)) return false;
  if (PQtransactionStatus(db->connection) == PQTRANS_INERROR && !db_run_script(db, "rollback", "rollback", &unknown))
    return false;
  bool exists; /* then its owner alone migrates it */
  return schema_find(db, &exists, &unknown) && !exists ? explain_rights(db, false, err) : false;
}
