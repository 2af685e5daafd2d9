/* By SQLSTATE, context, and the names in the message. */
#include "pg/pg_blame.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sqlstate.h"

enum { STATE_LENGTH = PG_BLAME_STATE - 1 };

struct hint {
  const char *sqlstate; /* or its beginning */
  const char *text;
};

static void add_hint(struct err *err, const char *sqlstate, const struct hint *hints, size_t count) {
  for (size_t i = 0; i < count && !*err->hint; i++)
    if (strncmp(sqlstate, hints[i].sqlstate, strlen(hints[i].sqlstate)) == 0) err_hint(err, "%s", hints[i].text);
}

/* ---- statements ---- */

/* The line of the innermost function, up to its parameters or its end; what comes before and behind the name is in
 * the server's language. An expression or an assignment of such a function has a line before, which quotes it. */
static const char *innermost(const char *context, size_t *length) {
  for (const char *mark = context; mark && (mark = strstr(mark, "PL/")); mark++) {
    if (strncmp(mark, "PL/pgSQL", strlen("PL/pgSQL")) == 0 && mark[strcspn(mark, "\"(\n")] == '"') continue;
    while (mark > context && mark[-1] != '\n') mark--;
    *length = strcspn(mark, "(\n");
    return mark;
  }
  return NULL;
}

static bool holds(const char *text, size_t length, const char *word) {
  const char *found = strstr(text, word);
  return found && found < text + length;
}

bool pg_blame_is_of(const char *context, const char *schema, bool *called) {
  char prefix[64];
  size_t length = 0;
  const char *line = innermost(context, &length);
  *called = line != NULL;
  snprintf(prefix, sizeof prefix, "%s.", schema);
  return line && holds(line, length, prefix);
}

/* Something in the database that luaflow did not put there has failed inside a statement of ours: a retry does not
 * help, and its own hint says nothing about where it comes from. */
static bool blame_function(struct err *err, const char *context) {
  char said[sizeof err->hint];
  size_t length = 0;
  const char *line = innermost(context, &length);
  if (!line || holds(line, length, "pgflow.") || holds(line, length, "pgmq.") || holds(line, length, "inline_code"))
    return false;
  snprintf(said, sizeof said, "%s", err->hint);
  err_hint(err, "%.*s is not luaflow's: a trigger or an event trigger calls it; correct or drop it%s%s", (int)length,
           line, *said ? "; its own hint: " : "", said);
  err->exit_code = EXIT_DATABASE;
  if (!sqlstate_may_pass(err->sqlstate)) err->kind = ERR_CONFIG;
  return true;
}

static void blame_missing(struct err *err, const char *message) {
  if (strstr(message, "pgmq.q_") || strstr(message, "pgmq.a_"))
    err_hint(err, "start a worker whose flows use the queue: it creates a dropped queue again");
  else if (strstr(message, "pgmq"))
    err_hint(err, "PGMQ is missing or too old: luaflow needs 1.5 or newer" ERR_SEE_DOCTOR "shows which there is");
  else if (strstr(message, "pgflow"))
    err_hint(err, "a part of schema pgflow is missing: run `luaflow migrate`, which creates functions and views again");
}

/* The server names the table without its schema, in quotation marks that depend on its language. */
static void blame_row_security(struct err *err, const char *message) {
  const char *name = strchr(message, '"');
  size_t length = name ? strcspn(name + 1, "\"") : 0;
  if (length == 0) {
    err_hint(err, "row security hides rows of luaflow's tables" ERR_SEE_DOCTOR "says of which");
    return;
  }
  bool is_queue = strncmp(name + 1, "q_", 2) == 0 || strncmp(name + 1, "a_", 2) == 0;
  err_hint(err, "row security hides rows of that table; its owner runs: alter table %s.%.*s disable row level security",
           is_queue ? "pgmq" : "pgflow", (int)length, name + 1);
}

/* Where one of our functions lacks a right, its owner does. */
static void blame_right(struct err *err, const char *message, const char *context, bool by_row_security) {
  if (by_row_security)
    blame_row_security(err, message);
  else if (context && strstr(context, "pgflow."))
    err_hint(err, "the owner of schema pgflow, whose rights its functions have, lacks this right" ERR_SEE_DOCTOR
                  "says what to change");
}

static bool is_by_row_security(const PGresult *failure) {
  const char *source = PQresultErrorField(failure, PG_DIAG_SOURCE_FUNCTION);
  return source && (strcmp(source, "check_enable_rls") == 0 || strcmp(source, "ExecWithCheckOptions") == 0);
}

/* A standby, or a primary whose administrator has made transactions read-only. */
static void blame_read_only(struct err *err, PGconn *conn) {
  const char *standby = PQparameterStatus(conn, "in_hot_standby");
  const char *setting = PQparameterStatus(conn, "default_transaction_read_only");
  if (standby && strcmp(standby, "off") == 0 && setting && strcmp(setting, "on") == 0)
    err_hint(err, "transactions are read-only by default: reset default_transaction_read_only" ERR_SEE_DOCTOR
                  "shows where it is set");
  else
    err_hint(err, "this server takes no writes: give the primary, or all servers with target_session_attrs=read-write");
}

/* The server's own hint, to check free disk space, does not say whose. */
static void blame_full_disk(struct err *err) {
  char said[sizeof err->hint];
  memcpy(said, err->hint, sizeof said);
  err_hint(err, "make room on the server's disk; workers keep their results in memory meanwhile%s%s",
           *said ? "; the server's hint: " : "", said);
}

static void blame_condition(struct err *err, PGconn *conn) {
  static const struct hint hints[] = {
      {"53200", "the server is out of memory; workers keep their results in memory meanwhile"},
      {"55P03", "another session holds the lock for long: look for old transactions in pg_stat_activity"},
  };
  if (!*err->hint && sqlstate_is_read_only(err->sqlstate)) blame_read_only(err, conn);
  add_hint(err, err->sqlstate, hints, sizeof hints / sizeof *hints);
}

void pg_blame_statement(struct err *err, const PGresult *failure, PGconn *conn) {
  const char *message = PQresultErrorField(failure, PG_DIAG_MESSAGE_PRIMARY);
  const char *context = PQresultErrorField(failure, PG_DIAG_CONTEXT);
  bool lacks_object = sqlstate_lacks_object(err->sqlstate);
  bool by_row_security = is_by_row_security(failure);
  if (lacks_object || by_row_security) *err->hint = '\0';
  if (strcmp(err->sqlstate, "53100") == 0) blame_full_disk(err);
  if (!*err->hint) blame_condition(err, conn);
  if (!message || sqlstate_is_condition(err->sqlstate) || sqlstate_is_conflict(err->sqlstate)) return;
  if (blame_function(err, context) || *err->hint) return;
  if (lacks_object)
    blame_missing(err, message);
  else if (sqlstate_lacks_right(err->sqlstate))
    blame_right(err, message, context, by_row_security);
}

/* ---- connections ---- */

/* One state for all that keeps a role out. The words are those of a server that speaks English; the name of the
 * server's function is the same in every language, but says less. */
static bool blame_role(struct err *err, const char *sqlstate, const char *said) {
  if (strcmp(sqlstate, "28000") != 0) return false;
  if (strstr(err->message, "role \"") && strstr(err->message, "\" does not exist"))
    err_hint(err, "give another user, or create the role: create role NAME login");
  else if (strstr(err->message, "role \"") && strstr(err->message, "\" is not permitted to log in"))
    err_hint(err, "give another user, or let the role log in: alter role NAME login");
  else if (strstr(said, "InitializeSessionUserId"))
    err_hint(
        err,
        "give another user, or create the role (create role NAME login), or let it log in (alter role NAME login)");
  return *err->hint;
}

/* said: what libpq tells of it, which names the server's function if it is verbose. */
static void blame_connection(struct err *err, const char *sqlstate, const char *said) {
  static const struct hint hints[] = {
      {"25P03", "set idle_in_transaction_session_timeout to 0 for the roles of luaflow"},
      {"57P05", "set idle_session_timeout to 0 for the roles of luaflow"},
      {"53300", "raise max_connections of the server, or the limit of the role or database, or run fewer workers"},
      {"28", "check the user, the password, and the server's pg_hba.conf"},
      {"3D000", "check the name of the database"},
      {"58P01",
       "a setting names a library that cannot be loaded: set session_preload_libraries right, or reset it with `alter "
       "role ... reset session_preload_libraries` or `alter database ... reset session_preload_libraries`"},
      {"42501", "the role has no right to connect: run `grant connect on database ... to ...`"},
  };
  if (blame_role(err, sqlstate, said) || pg_blame_is_of_setting(sqlstate, said)) return;
  add_hint(err, sqlstate, hints, sizeof hints / sizeof *hints);
}

bool pg_blame_is_of_setting(const char *sqlstate, const char *said) {
  return sqlstate_lacks_right(sqlstate) && strstr(said, "set_config_");
}

void pg_blame_connection(struct err *err, const char *sqlstate) { blame_connection(err, sqlstate, ""); }

/* Where the line has ":  SQLSTATE: " at its first colon of that kind; NULL if nowhere. */
static const char *find_state(const char *line, size_t length) {
  for (const char *c = line; c + STATE_LENGTH + 5 <= line + length; c++) {
    if (strncmp(c, ":  ", 3) != 0 || strncmp(c + 3 + STATE_LENGTH, ": ", 2) != 0) continue;
    int plain = 0;
    while (plain < STATE_LENGTH && (isdigit((unsigned char)c[3 + plain]) || isupper((unsigned char)c[3 + plain])))
      plain++;
    if (plain == STATE_LENGTH) return c;
  }
  return NULL;
}

/* The last line of the message with a state, and the state in it; NULL, and the message, if there is none. */
static const char *last_state(const char *message, const char **said) {
  const char *state = NULL;
  *said = message;
  for (const char *line = message; *line;) {
    size_t length = strcspn(line, "\n");
    const char *found = find_state(line, length);
    if (found) {
      *said = line;
      state = found;
    }
    line += length + (line[length] == '\n');
  }
  return state;
}

void pg_blame_read_state(const char *message, char code[PG_BLAME_STATE]) {
  const char *said, *state = last_state(message, &said);
  snprintf(code, PG_BLAME_STATE, "%.*s", STATE_LENGTH, state ? state + 3 : "");
}

bool pg_blame_is_of_library(const char *message) {
  char code[PG_BLAME_STATE];
  pg_blame_read_state(message, code);
  return sqlstate_may_be_of_library(code);
}

bool pg_blame_attempt(struct err *err, const char *message) {
  const char *said, *state = last_state(message, &said);
  size_t length = strcspn(said, "\n");
  if (!state) {
    err_set(err, ERR_RETRY, EXIT_DATABASE, "database: %.*s", (int)length, said);
    return false;
  }
  const char *text = state + 3 + STATE_LENGTH + 2;
  char code[PG_BLAME_STATE];
  pg_blame_read_state(message, code);
  err_set(err, ERR_RETRY, EXIT_DATABASE, "database: %.*s:  %.*s", (int)(state - said), said,
          (int)(said + length - text), text);
  blame_connection(err, code, said);
  return true;
}
