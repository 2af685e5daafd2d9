/* By libpq's own messages, which are in English as luaflow sets no locale: libpq gives no codes. */
#include "pg/pg_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pg/conninfo.h"
#include "pg/pg_blame.h"

enum { ORIGIN_SIZE = 160 };

/* The variable that the parameter's value comes from, or the source. */
static void find_origin(const char *source, PGconn *conn, const char *keyword, char out[ORIGIN_SIZE]) {
  PQconninfoOption *options = PQconninfo(conn);
  snprintf(out, ORIGIN_SIZE, "%s", source);
  for (const PQconninfoOption *option = options; option && option->keyword; option++) {
    if (strcmp(option->keyword, keyword) != 0 || !option->envvar) continue;
    const char *value = getenv(option->envvar);
    if (value && (!option->val || strcmp(value, option->val) == 0)) snprintf(out, ORIGIN_SIZE, "%s", option->envvar);
  }
  PQconninfoFree(options);
}

/* The message without what it quotes, which a mistyped conninfo may have from its password. */
static void copy_unquoted(char *out, size_t size, const char *message) {
  size_t length = 0;
  bool quoted = false;
  for (const char *c = message; *c && *c != '\n' && length + 1 < size; c++) {
    if (*c == '"') quoted = !quoted;
    if (quoted || *c == '"') continue;
    bool spaced = length > 0 && out[length - 1] == ' ';
    if (spaced && strchr(" :,", *c)) length--; /* what was quoted stood before it */
    out[length++] = *c;
  }
  while (length > 0 && strchr(": ", out[length - 1])) length--;
  out[length] = '\0';
}

/* libpq uses the account's name if no user is given; the accounts of containers may have none. */
static bool lacks_user(const char *source, const char *message, struct err *err) {
  static const char beginning[] = "local user with ID";
  if (strncmp(message, beginning, strlen(beginning)) != 0) return false;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: no user is given, and the account has no name to use instead: %.*s", source,
          (int)strcspn(message, "\n"), message);
  err_hint(err, "add the user to the connection string (user=NAME, postgresql://NAME:...@...), or set PGUSER");
  return true;
}

/* The keyword of the parameter that the message is about; NULL if it is not known. */
static const char *keyword_of(const char *message) {
  static const struct {
    const char *part, *keyword;
  } signs[] = {
      {"definition of service", "service"},
      {"service file", "service"},
      {"connection option \"port\"", "port"},
      {"port number", "port"},
      {"hostaddr", "hostaddr"},
      {"network address", "hostaddr"},
      {"Unix-domain socket path", "host"},
      {"SSL protocol version range", "ssl_min_protocol_version"},
      {"channel_binding", "channel_binding"},
      {"gssencmode", "gssencmode"},
      {"target_session_attrs", "target_session_attrs"},
      {"load_balance_hosts", "load_balance_hosts"},
      {"require_auth", "require_auth"},
      {"sslcertmode", "sslcertmode"},
      {"sslnegotiation", "sslnegotiation"},
      {"ssl_min_protocol_version", "ssl_min_protocol_version"},
      {"ssl_max_protocol_version", "ssl_max_protocol_version"},
      {"sslmode", "sslmode"},
  };
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strstr(message, signs[i].part)) return signs[i].keyword;
  return NULL;
}

/* Where libpq looks for services: the error may lie there. */
static void add_service_hint(const char *origin, struct err *err) {
  static const char form[] = "a service begins with a line [NAME], and lines keyword=value follow";
  const char *file = getenv("PGSERVICEFILE");
  if (file)
    err_hint(err, "correct %s, or the service file, PGSERVICEFILE=\"%s\"; %s", origin, file, form);
  else
    err_hint(err, "correct %s, or the service file, ~/.pg_service.conf or pg_service.conf in PGSYSCONFDIR; %s", origin,
             form);
}

static void refuse(const char *source, PGconn *conn, const char *message, struct err *err) {
  char why[256], origin[ORIGIN_SIZE];
  const char *keyword = keyword_of(message);
  if (!keyword) keyword = "service";
  copy_unquoted(why, sizeof why, message);
  find_origin(source, conn, keyword, origin);
  if (strcmp(origin, source) != 0) {
    conninfo_refuse_variable(origin, why, err);
  } else { /* the rest may be a service file's */
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: the connection string, or a service file, is not valid: %s", source, why);
    err_hint(err, "correct it: libpq's manual lists the parameters of connections and their values");
  }
  if (strcmp(keyword, "service") == 0) add_service_hint(origin, err);
}

bool pg_parameters_refuse(const char *source, PGconn *conn, struct err *err) {
  static const char *const beginnings[] = {
      "invalid ",        "definition of service", "could not match", "Unix-domain socket path",
      "could not parse", "sslmode value",         "channel_binding", "gssencmode value",
      "weak sslmode",    "service file",          "syntax error",    "nested service",
      "line ",
  };
  const char *message = PQerrorMessage(conn);
  if (lacks_user(source, message, err)) return true;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
    if (strncmp(message, beginnings[i], strlen(beginnings[i])) != 0) continue;
    refuse(source, conn, message, err);
    return true;
  }
  return false;
}

struct demand {
  const char *sign, *keyword, *advice;
};

/* Of a demand that has no parameter of its own, the variable. */
static void find_setting(const char *message, char origin[ORIGIN_SIZE]) {
  static const char *const settings[][2] = {{"TimeZone", "PGTZ"}, {"DateStyle", "PGDATESTYLE"}, {"geqo", "PGGEQO"}};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (strstr(message, settings[i][0]) && getenv(settings[i][1])) snprintf(origin, ORIGIN_SIZE, "%s", settings[i][1]);
}

static void add_demand(const struct demand *demand, const char *source, PGconn *conn, struct err *err) {
  char origin[ORIGIN_SIZE];
  find_origin(source, conn, demand->keyword, origin);
  if (strcmp(demand->keyword, "options") == 0) find_setting(PQerrorMessage(conn), origin);
  err_hint(err, "%s: correct %s", demand->advice, origin);
}

/* By what libpq says, in English as luaflow sets no locale, and by the state of what the server says, in its own
 * language. */
void pg_parameters_blame(const char *source, PGconn *conn, struct err *err) {
  static const struct demand by_libpq[] = {
      {"does not support SSL", "sslmode", "the server offers no TLS, which sslmode asks for"},
      {"certificate", "sslmode", "the server's certificate is not what sslmode and sslrootcert ask for"},
      {"GSSAPI encryption", "gssencmode", "the server offers no GSSAPI encryption, which gssencmode asks for"},
      {"channel binding", "channel_binding", "the server offers no channel binding, which channel_binding asks for"},
      {"session is ", "target_session_attrs", "no server is in the state that target_session_attrs asks for"},
      {"hot standby mode", "target_session_attrs", "no server is in the state that target_session_attrs asks for"},
      {"requirepeer specifies", "requirepeer", "the server runs as another account than requirepeer asks for"},
  };
  static const struct demand by_state[] = {
      {"42704", "options", "the server does not know a setting in options"},
      {"22023", "options", "the server refuses the value of a setting in options"},
      {"42601", "options", "the server cannot read options, which are of the form -c NAME=VALUE"},
      {"55P02", "options", "a setting in options cannot be given by a connection"},
      {"42501", "options", "the role has no right to a setting in options"},
  };
  const char *message = PQerrorMessage(conn);
  char state[PG_BLAME_STATE];
  pg_blame_read_state(message, state);
  for (size_t i = 0; i < sizeof by_libpq / sizeof *by_libpq && !*err->hint && !*state; i++)
    if (strstr(message, by_libpq[i].sign)) add_demand(&by_libpq[i], source, conn, err);
  for (size_t i = 0; i < sizeof by_state / sizeof *by_state && !*err->hint; i++)
    if (strcmp(state, by_state[i].sign) == 0) add_demand(&by_state[i], source, conn, err);
}

void pg_parameters_blame_place(const char *source, PGconn *conn, struct err *err) {
  static const char *const keywords[] = {"host", "hostaddr", "port"};
  char origin[ORIGIN_SIZE];
  char variables[3 * ORIGIN_SIZE] = "";
  size_t length = 0;
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
    find_origin(source, conn, keywords[i], origin);
    if (strcmp(origin, source) == 0) continue;
    length += (size_t)snprintf(variables + length, sizeof variables - length, ", %s", origin);
  }
  err_hint(err, "check %s%s, and that the server runs", source, variables);
}
