/* luaflow doctor: looks at the server, the installation, the connection and the data, and prints what to do about
 * each finding. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/schema_verify.h"
#include "cli/view/finding.h"
#include "worker/control/schema_check.h"

enum { NOTIFY_MS = 5000 };

static const struct check {
  const char *name;
  enum db_statement statement;
  enum exit_code exit_code; /* of its problems */
} base_checks[] = {{"server", DB_CHECK_SERVER, EXIT_DATABASE},
                   {"locks", DB_CHECK_TABLE_LOCKS, EXIT_FAILED}, /* for which all that follows might wait */
                   {"pgmq", DB_CHECK_PGMQ, EXIT_DATABASE}},
  checks[] = {
      {"rights", DB_CHECK_RIGHTS, EXIT_FAILED},         {"owner", DB_CHECK_OWNER, EXIT_FAILED},
      {"settings", DB_CHECK_SETTINGS, EXIT_FAILED},     {"disk", DB_CHECK_DISK, EXIT_DATABASE},
      {"queues", DB_CHECK_QUEUES, EXIT_FAILED},         {"workers", DB_CHECK_WORKERS, EXIT_FAILED},
      {"locks", DB_CHECK_LOCKS, EXIT_FAILED},           {"clock", DB_CHECK_CLOCK, EXIT_FAILED},
      {"functions", DB_CHECK_FUNCTIONS, EXIT_FAILED},   {"events", DB_CHECK_EVENTS, EXIT_FAILED},
      {"invariants", DB_CHECK_INVARIANTS, EXIT_FAILED},
};

/* What a hint says apart from a reference to doctor, which prints its other findings too. NULL: nothing. */
static char *own_hint(const struct err *err) {
  const char *see = strstr(err->hint, ERR_SEE_DOCTOR);
  size_t length = see ? (size_t)(see - err->hint) : strlen(err->hint);
  return length ? xasprintf("%.*s", (int)length, err->hint) : NULL;
}

/* What a look at the database has found, and the checks that this role has no right to run. */
struct look {
  const struct settings *settings;
  struct findings findings;
  struct buf unchecked;
};

/* False: the connection cannot be used any more. */
static bool add_failure(struct look *look, const char *check, const struct err *err) {
  char *hint = own_hint(err);
  if (sqlstate_lacks_right(err->sqlstate) && !hint)
    buf_printf(&look->unchecked, "%s%s", look->unchecked.len ? ", " : "", check);
  else
    findings_add(&look->findings, check, FINDING_PROBLEM, err->message, hint,
                 sqlstate_lacks_right(err->sqlstate) ? EXIT_FAILED : err->exit_code);
  free(hint);
  return err->kind != ERR_RETRY;
}

static bool may_read(struct db *db) {
  PGresult *result;
  struct err unknown;
  if (!db_run(db, DB_MAY_READ, NULL, &result, &unknown)) return false;
  bool may = db_bool(result, 0, 0);
  PQclear(result);
  return may;
}

/* The functions run as the owner of the schema, whose rights may be the ones that lack. */
static void add_unchecked(struct db *db, struct look *look) {
  if (!look->unchecked.len) return;
  bool by_owner = may_read(db);
  char *text = xasprintf("not checked, because %s has no right to look: %.*s",
                         by_owner ? "the role that owns the functions" : "this role", (int)look->unchecked.len,
                         look->unchecked.data);
  findings_add(&look->findings, "rights", FINDING_PROBLEM, text,
               by_owner ? "give that role the rights that it lacks: see owner"
                        : "connect as the owner of the schema or as a member of pgflow_reader",
               EXIT_FAILED);
  free(text);
}

static bool run_check(struct db *db, const struct check *check, struct look *look) {
  const char *parameters[] = {look->settings->full ? "t" : "f"}; /* for the invariants; the others have none */
  struct err err;
  PGresult *result;
  if (!db_run(db, check->statement, parameters, &result, &err)) return add_failure(look, check->name, &err);
  for (int row = 0; row < PQntuples(result); row++)
    findings_add(&look->findings, check->name, finding_level_parse(db_text(result, row, 0)), db_text(result, row, 1),
                 db_text(result, row, 2), check->exit_code);
  PQclear(result);
  return true;
}

/* False if there is no schema that this program can work with: the checks that depend on it would only fail. One that
 * is locked may be. */
static bool check_schema(struct db *db, struct look *look) {
  static const struct check owners = {"schema", DB_CHECK_SCHEMA_OWNERS, EXIT_FAILED};
  static const struct check facts = {"schema", DB_CHECK_SCHEMA, EXIT_DATABASE};
  struct err err;
  if (!schema_verify(db, &err) || !schema_verify_whole(db, &err)) {
    findings_add(&look->findings, "schema", FINDING_PROBLEM, err.message, err.hint, EXIT_DATABASE);
    return sqlstate_is_locked_out(err.sqlstate);
  }
  return run_check(db, &owners, look) && run_check(db, &facts, look);
}

static void add_place(const struct db *db, struct findings *findings) {
  char place[PG_PLACE];
  findings_add(findings, "database", FINDING_OK, db_place(db, place), NULL, 0);
}

static bool read_pid(struct db *db, char *pid, size_t size, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_BACKEND_PID, NULL, &result, err)) return false;
  snprintf(pid, size, "%s", db_text(result, 0, 0));
  PQclear(result);
  return true;
}

/* Whether a notification with that payload comes in time. */
static bool await_notification(struct db *db, const char *payload) {
  for (int waited = 0; waited <= NOTIFY_MS; waited += 100) {
    struct pollfd ready = {.fd = PQsocket(db->connection), .events = POLLIN};
    poll(&ready, 1, 100);
    if (!PQconsumeInput(db->connection)) return false;
    for (PGnotify *notify; (notify = PQnotifies(db->connection)) != NULL;) {
      bool found = strcmp(notify->extra, payload) == 0;
      PQfreemem(notify);
      if (found) return true;
    }
  }
  return false;
}

/* A session that keeps its LISTEN is what a worker needs. Two connections with one server process, or a notification
 * that does not arrive, mean that a pooler in between assigns sessions by transaction. */
static bool hears(struct db *db, struct db *other, bool *heard, struct err *err) {
  char own[32], others[32];
  const char *parameters[] = {others};
  if (!db_run(db, DB_LISTEN, NULL, NULL, err) || !read_pid(db, own, sizeof own, err) ||
      !read_pid(other, others, sizeof others, err) || !db_run(other, DB_NOTIFY, parameters, NULL, err))
    return false;
  *heard = strcmp(own, others) != 0 && await_notification(db, others);
  return true;
}

static void check_session(struct db *db, const struct settings *settings, struct findings *findings) {
  struct db other;
  struct err err;
  bool heard = false;
  bool ok = client_connect(settings, "doctor", &other, &err);
  if (ok) {
    ok = hears(db, &other, &heard, &err);
    db_close(&other);
  }
  if (ok && !heard) {
    schema_set_pooled(&err);
    ok = false;
  }
  if (ok)
    findings_add(findings, "session", FINDING_OK, "the connection has its own session, and LISTEN works", NULL, 0);
  else
    findings_add(findings, "session", FINDING_PROBLEM, err.message, err.hint, EXIT_DATABASE);
}

static void examine(struct db *db, struct look *look) {
  bool ok = true;
  add_place(db, &look->findings);
  for (size_t i = 0; i < sizeof base_checks / sizeof *base_checks && ok; i++) ok = run_check(db, &base_checks[i], look);
  if (!ok || !check_schema(db, look)) return;
  check_session(db, look->settings, &look->findings);
  for (size_t i = 0; i < sizeof checks / sizeof *checks && ok; i++) ok = run_check(db, &checks[i], look);
  add_unchecked(db, look);
}

int command_doctor(const struct call *call) {
  struct db db;
  struct err err;
  struct look look = {.settings = call->settings};
  if (!client_connect(call->settings, "doctor", &db, &err)) return cli_fail(&err);
  db.patience = DB_HURRIES;
  examine(&db, &look);
  db_close(&db);
  if (call->settings->json)
    findings_print_json(&look.findings);
  else
    findings_print(&look.findings);
  int code = findings_exit_code(&look.findings);
  findings_free(&look.findings);
  buf_free(&look.unchecked);
  return code;
}
