/* Blocking libpq: one statement at a time, the server's errors sorted by who must act. */
#include "cli/db.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "base/xalloc.h"
#include "pg/conninfo.h"
#include "pg/pg_blame.h"
#include "pg/pg_parameters.h"
#include "pg/pins.h"
#include "worker/control/complaint.h"

enum { KEYWORDS_MAX = 80 };

struct statement_info {
  int parameters;
  const char *text;
};

static const struct statement_info statements[] = {
#define X(name, parameters, text) {parameters, text},
    DB_STATEMENTS(X)
#undef X
};

/* Warnings are for the person at the terminal; a role may be sent more, until the settings are pinned. */
static void print_notice(void *unused, const PGresult *result) {
  (void)unused;
  const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (!severity || strcmp(severity, "WARNING") != 0) return;
  say(stderr, "luaflow: database: %s\n", PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
  if (hint) say(stderr, "  hint: %s\n", hint);
}

/* libpq's own messages have several lines with tabs: one line, with single spaces. */
static void copy_message(char *out, size_t size, const char *message) {
  size_t length = 0;
  for (const char *c = message; *c; c++) {
    if (c[0] == '\n' && c[1] == '\t' && length > 0 && length + 1 < size) out[length++] = '.'; /* libpq goes on */
    if (length + 1 == size) {
      utf8_fit(out, size, (int)size);
      return;
    }
    bool space = *c == '\n' || *c == '\t' || *c == ' ';
    if (!space)
      out[length++] = *c;
    else if (length > 0 && out[length - 1] != ' ')
      out[length++] = ' ';
  }
  while (length > 0 && out[length - 1] == ' ') length--;
  out[length] = '\0';
}

static bool fail_to_connect(const struct db *db, struct err *err) {
  char why[768];
  if (pg_parameters_refuse(db->source, db->connection, err)) return false;
  if (!pg_blame_attempt(err, PQerrorMessage(db->connection))) {
    copy_message(why, sizeof why, PQerrorMessage(db->connection));
    err_set(err, ERR_RETRY, EXIT_DATABASE, "database: %s", *why ? why : "no connection");
  }
  pg_parameters_blame(db->source, db->connection, err);
  if (*err->hint) return false;
  if (PQconnectionNeedsPassword(db->connection))
    return err_hint(err, "the server asks for a password: give it in DATABASE_URL, PGPASSWORD or ~/.pgpass");
  pg_parameters_blame_place(db->source, db->connection, err);
  return false;
}

static bool prepare_session(struct db *db, struct err *err) {
  if (PQstatus(db->connection) != CONNECTION_OK) return fail_to_connect(db, err);
  PQsetNoticeReceiver(db->connection, print_notice, NULL);
  return db_run(db, DB_MAY_IDLE, NULL, NULL, err);
}

/* What the conninfo does not set has a default here; of a keyword given twice the last counts. */
static PGconn *connect_with(const PQconninfoOption *options, const char *command, const char *session_options) {
  char application[64];
  const char *keys[KEYWORDS_MAX + 1] = {"connect_timeout", "tcp_user_timeout", "keepalives_idle",
                                        "fallback_application_name"};
  const char *values[KEYWORDS_MAX + 1] = {"10", "15000", "15", application};
  int count = 4;
  const char *timeout = getenv("PGCONNECT_TIMEOUT");
  if (timeout && *timeout) values[0] = timeout;
  snprintf(application, sizeof application, "luaflow %s", command);
  for (const PQconninfoOption *option = options; option->keyword && count < KEYWORDS_MAX - 2; option++) {
    if (!option->val) continue;
    keys[count] = option->keyword;
    values[count++] = option->val;
  }
  if (session_options) {
    keys[count] = "options";
    values[count++] = session_options;
  }
  keys[count] = "client_encoding";
  values[count] = "UTF8";
  return PQconnectdbParams(keys, values, 0);
}

/* libpq reports the SQLSTATE of a server's refusal only in a verbose message. In every language two blanks follow the
 * severity. */
static void ask_why(PGconn *connection) {
  if (PQstatus(connection) == CONNECTION_OK || !strstr(PQerrorMessage(connection), ":  ")) return;
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  PQreset(connection);
}

/* Once more without the libraries that the role names for its sessions, if it was refused for one of them. */
static void connect_without_libraries(struct db *db) {
  if (PQstatus(db->connection) == CONNECTION_OK || !pg_blame_is_of_library(PQerrorMessage(db->connection))) return;
  PQconninfoOption *in_use = PQconninfo(db->connection);
  if (!in_use) abort(); /* out of memory */
  char *options = xasprintf("%s " PIN_LIBRARIES, PQoptions(db->connection));
  PQfinish(db->connection);
  db->connection = connect_with(in_use, db->what, options);
  if (!db->connection) abort(); /* out of memory */
  ask_why(db->connection);
  free(options);
  PQconninfoFree(in_use);
}

bool db_open(struct db *db, const char *source, const char *conninfo, const char *command, struct err *err) {
  PQconninfoOption *options = conninfo_parse(source, conninfo, err);
  if (!options || !conninfo_check_environment(options, err)) {
    PQconninfoFree(options);
    return false;
  }
  *db = (struct db){.connection = connect_with(options, command, NULL), .interrupt_fd = -1, .what = command};
  snprintf(db->source, sizeof db->source, "%s", source);
  PQconninfoFree(options);
  if (!db->connection) abort(); /* out of memory */
  ask_why(db->connection);
  connect_without_libraries(db);
  if (prepare_session(db, err)) return true;
  db_close(db);
  return false;
}

void db_close(struct db *db) {
  PQfinish(db->connection);
  db->connection = NULL;
}

const char *db_place(const struct db *db, char place[PG_PLACE]) { return pg_place_of(db->connection, place); }

bool db_reopen(struct db *db, struct err *err) {
  PQreset(db->connection);
  ask_why(db->connection);
  connect_without_libraries(db);
  return prepare_session(db, err);
}

static bool fail_statement(struct db *db, const PGresult *result, const char *what, struct err *err) {
  const char *primary = result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
  const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  if (!primary || PQstatus(db->connection) != CONNECTION_OK) {
    char why[768];
    copy_message(why, sizeof why, primary ? primary : PQerrorMessage(db->connection));
    err_set(err, ERR_RETRY, EXIT_DATABASE, "database: %s", *why ? why : "the connection is lost");
    pg_blame_connection(err, state ? state : "");
    return false;
  }
  err_set(err, ERR_CONFIG, EXIT_FAILED, "%s: %s", what, primary);
  snprintf(err->sqlstate, sizeof err->sqlstate, "%s", state ? state : "");
  const char *hint = PQresultErrorField(result, PG_DIAG_MESSAGE_HINT);
  if (hint) err_hint(err, "%s", hint);
  pg_blame_statement(err, result, db->connection);
  const char *detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
  if (!*err->hint && detail) err_hint(err, "%s", detail);
  return false;
}

/* Waits until libpq can hand over a result. False: interrupted. */
static bool wait_for_result(struct db *db) {
  while (PQisBusy(db->connection)) {
    struct pollfd fds[2] = {{.fd = PQsocket(db->connection), .events = POLLIN},
                            {.fd = db->interrupt_fd, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return true;
    if (fds[1].revents & POLLIN) {
      db->interrupted = true;
      return false;
    }
    if (fds[0].revents && !PQconsumeInput(db->connection)) return true;
  }
  return true;
}

/* The last result of what was sent, or the first that is an error. NULL: interrupted or the connection broke. */
static PGresult *collect_result(struct db *db) {
  PGresult *kept = NULL;
  while (wait_for_result(db)) {
    PGresult *result = PQgetResult(db->connection);
    if (!result) return kept;
    bool failed = kept && PQresultStatus(kept) == PGRES_FATAL_ERROR;
    PQclear(failed ? result : kept);
    if (!failed) kept = result;
  }
  PQclear(kept);
  return NULL;
}

/* They end with the transaction, since the session may be a pooler's, and others' next. */
enum { PIN_COUNT = 2 };
static const char *const pins[][PIN_COUNT] = {
    [DB_WAITS] = {PIN_READ_COMMITTED, PIN_STATEMENTS("10s", "true")},
    [DB_HURRIES] = {PIN_READ_COMMITTED, PIN_STATEMENTS("2s", "true")},
};
static const char *const begin_pins[] = {PIN_READ_COMMITTED, PIN_STATEMENTS("0", "true")};
static const char *const look_pins[] = {PIN_REPEATABLE_READ, PIN_STATEMENTS("10s", "true")};

/* A transaction that is open has them from its begin. */
static int pins_due(const struct db *db) { return PQtransactionStatus(db->connection) == PQTRANS_IDLE ? PIN_COUNT : 0; }

static bool send_text(struct db *db, const char *text, int count, const char *const *parameters) {
  return PQsendQueryParams(db->connection, text, count, NULL, parameters, NULL, NULL, 0) == 1;
}

/* Sends so many pins and statements in one transaction, each statement with all its parameters from the same list. */
static bool send_pinned(struct db *db, const char *const *pin, int pin_count, const enum db_statement *list, int count,
                        const char *const *parameters) {
  bool sent = PQenterPipelineMode(db->connection) == 1;
  for (int i = 0; i < pin_count; i++) sent = sent && send_text(db, pin[i], 0, NULL);
  for (int i = 0; i < count; i++)
    sent = sent && send_text(db, statements[list[i]].text, statements[list[i]].parameters, parameters);
  return sent && PQpipelineSync(db->connection) == 1;
}

static bool is_error(const PGresult *result) { return PQresultStatus(result) == PGRES_FATAL_ERROR; }

/* The results of so many statements behind so many pins. If one failed, got[0] is its error, and the others are NULL;
 * all are NULL as in collect_result. */
static void collect_pinned(struct db *db, int pin_count, int count, PGresult **got) {
  PGresult *result = NULL, *failed = NULL;
  for (int i = 0; i < count; i++) got[i] = NULL;
  for (int i = -pin_count; i < count; i++) {
    result = collect_result(db);
    if (!result) break;
    if (i >= 0 && !failed && !is_error(result))
      got[i] = result;
    else if (!failed && is_error(result))
      failed = result;
    else
      PQclear(result);
  }
  if (result) PQclear(collect_result(db)); /* the end of the pipeline */
  if (!db->interrupted) PQexitPipelineMode(db->connection);
  if (result && !failed) return;
  for (int i = 0; i < count; i++) {
    PQclear(got[i]);
    got[i] = NULL;
  }
  got[0] = failed;
}

/* The group may not exist, as on a new server with a dump of the database alone: nobody can be granted it then. */
static void add_missing_roles_hint(struct db *db, const char *group, struct err *err) {
  PGresult *result;
  struct err unknown;
  if (!db_run(db, DB_MISSING_ROLES, NULL, &result, &unknown)) return;
  const char *missing = db_text(result, 0, 0);
  if (missing && strstr(missing, group))
    err_hint(err,
             "these roles do not exist: %s; have an administrator run: %s then luaflow migrate, then grant %s to %s",
             missing, db_text(result, 0, 1), group, PQuser(db->connection));
  PQclear(result);
}

/* A role may be a member of the group whose right it lacks: then the group has lost its rights. */
static void add_rights_hint(struct db *db, struct err *err) {
  const char *group = db->role;
  const char *parameters[] = {group};
  PGresult *result;
  struct err unknown;
  if (*err->hint || !group || PQtransactionStatus(db->connection) != PQTRANS_IDLE) return;
  db->role = NULL; /* no hint about the question */
  add_missing_roles_hint(db, group, err);
  if (!*err->hint && db_run(db, DB_HAS_ROLE, parameters, &result, &unknown)) {
    if (db_bool(result, 0, 0))
      err_hint(err,
               "role %s is a member of %s, whose rights are lost, as after a restore without privileges: "
               "luaflow migrate grants them again",
               PQuser(db->connection), group);
    PQclear(result);
  }
  db->role = group;
  complaint_add_rights_hint(err, group, PQuser(db->connection));
}

/* The user knows the command, and not the function, the view or the table of the schema that it uses. */
static void name_the_command(const struct db *db, struct err *err) {
  static const char denied[] = "permission denied for ";
  const char *what = strstr(err->message, denied);
  if (*err->hint || !db->role || !what || strncmp(what + strlen(denied), "schema", 6) == 0) return;
  snprintf(err->message, sizeof err->message, "%s: permission denied: role %s has no right to use luaflow %s", db->what,
           PQuser(db->connection), db->what);
}

/* What a function of ours raises names the holder itself. */
static bool was_raised(const PGresult *failure) {
  const char *source = failure ? PQresultErrorField(failure, PG_DIAG_SOURCE_FUNCTION) : NULL;
  return source && strcmp(source, "exec_stmt_raise") == 0;
}

/* The server does not say for whom a statement has waited in vain. */
static void name_holder(struct db *db, struct err *err) {
  PGresult *result;
  struct err unknown;
  err->exit_code = EXIT_DATABASE;
  if (db->names_holder) return;
  if (PQtransactionStatus(db->connection) != PQTRANS_IDLE) return; /* migrate names it once that is over */
  db->names_holder = true;
  bool ok = db_run(db, DB_LOCK_HOLDER, NULL, &result, &unknown);
  db->names_holder = false;
  if (!ok) return;
  if (PQntuples(result) > 0) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "%s: waited in vain for a lock: %s", db->what, db_text(result, 0, 0));
    snprintf(err->sqlstate, sizeof err->sqlstate, "%s", SQLSTATE_LOCKED_OUT);
    err_hint(err, "%s", db_text(result, 0, 1));
  }
  PQclear(result);
}

/* Who must act on the SQLSTATE of a statement of ours, and the exit code that follows. */
static void classify(struct db *db, struct err *err) {
  if (sqlstate_ends_connection(err->sqlstate)) err->kind = ERR_RETRY;
  if (sqlstate_is_of_server(err->sqlstate) || sqlstate_lacks_object(err->sqlstate)) err->exit_code = EXIT_DATABASE;
  if (!sqlstate_lacks_right(err->sqlstate)) return;
  name_the_command(db, err);
  add_rights_hint(db, err);
}

static bool finish(struct db *db, const char *what, PGresult *got, PGresult **result, struct err *err) {
  if (!got && db->interrupted) return err_set(err, ERR_RETRY, EXIT_DATABASE, "%s: interrupted", what);
  ExecStatusType status = PQresultStatus(got);
  bool ok = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
  if (!ok) fail_statement(db, got, what, err);
  if (!ok) classify(db, err);
  if (!ok && sqlstate_is_locked_out(err->sqlstate) && !was_raised(got)) name_holder(db, err);
  if (ok && result)
    *result = got;
  else
    PQclear(got);
  return ok;
}

bool db_run(struct db *db, enum db_statement statement, const char *const *parameters, PGresult **result,
            struct err *err) {
  int pin_count = pins_due(db);
  const char *const *pin = statement == DB_BEGIN ? begin_pins : pins[db->patience];
  PGresult *got;
  if (!send_pinned(db, pin, pin_count, &statement, 1, parameters)) return fail_statement(db, NULL, db->what, err);
  collect_pinned(db, pin_count, 1, &got);
  return finish(db, db->what, got, result, err);
}

bool db_look(struct db *db, const enum db_statement *list, int count, const char *const *parameters, PGresult **results,
             struct err *err) {
  if (!send_pinned(db, look_pins, PIN_COUNT, list, count, parameters)) return fail_statement(db, NULL, db->what, err);
  collect_pinned(db, PIN_COUNT, count, results);
  return finish(db, db->what, results[0], &results[0], err);
}

/* The line of sql that holds the character at a position counted from 1, as the server reports it. */
static int line_of(const char *sql, const char *position) {
  int line = 1;
  long characters = position ? atol(position) - 1 : 0;
  for (const char *c = sql; *c && characters > 0; c++) {
    if ((*c & 0xC0) != 0x80) characters--;
    if (*c == '\n') line++;
  }
  return line;
}

bool db_run_script(struct db *db, const char *what, const char *sql, struct err *err) {
  if (!PQsendQuery(db->connection, sql)) return fail_statement(db, NULL, what, err);
  PGresult *got = collect_result(db);
  ExecStatusType status = PQresultStatus(got);
  bool ok = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY;
  if (!ok) {
    char place[256];
    const char *position = got ? PQresultErrorField(got, PG_DIAG_STATEMENT_POSITION) : NULL;
    snprintf(place, sizeof place, "%s:%d", what, line_of(sql, position));
    fail_statement(db, got, position ? place : what, err);
  }
  PQclear(got);
  return ok;
}

const char *db_text(const PGresult *result, int row, int column) {
  return PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column);
}

bool db_bool(const PGresult *result, int row, int column) {
  const char *text = db_text(result, row, column);
  return text && *text == 't';
}

long long db_number(const PGresult *result, int row, int column) {
  const char *text = db_text(result, row, column);
  return text ? atoll(text) : 0;
}
