/* By libpq's messages, in English as luaflow sets no locale; libpq gives no codes. */
#include "pg/pg_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN_SIZE = 160 };

/* The variable that the parameter's value comes from, or the source. */
static void find_origin(const char *source, PGconn *conn, const char *keyword, char out[ORIGIN_SIZE]) {
  PQconninfoOption *options = PQconninfo(conn);
  snprintf(out, ORIGIN_SIZE, "%s", source);
  for (const PQconninfoOption *option = options; option && option->keyword; option++) {
    if (strcmp(option->keyword, keyword) != 0 || !option->envvar) continue;
    const char *value = getenv(option->envvar);
    if (value && *value && (!option->val || strcmp(value, option->val) == 0))
      snprintf(out, ORIGIN_SIZE, "%s", option->envvar);
  }
  PQconninfoFree(options);
}

/* The message without what it quotes, which a mistyped conninfo may have from its password. */
static void copy_unquoted(char *out, size_t size, const char *message) {
  size_t length = 0;
  bool quoted = false;
  for (const char *c = message; *c && *c != '\n' && length + 1 < size; c++) {
    if (*c == '"') quoted = !quoted;
    if (!quoted && *c != '"' && !(*c == ' ' && length > 0 && out[length - 1] == ' ')) out[length++] = *c;
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
      {"port number", "port"},
      {"hostaddr", "hostaddr"},
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

bool pg_parameters_refuse(const char *source, PGconn *conn, struct err *err) {
  static const char *const beginnings[] = {
      "invalid ",        "definition of service", "could not match", "Unix-domain socket path",
      "could not parse", "sslmode value",         "channel_binding", "gssencmode value",
      "weak sslmode",    "service file",          "syntax error",    "nested service",
  };
  const char *message = PQerrorMessage(conn);
  if (lacks_user(source, message, err)) return true;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
    if (strncmp(message, beginnings[i], strlen(beginnings[i])) != 0) continue;
    char why[256], origin[ORIGIN_SIZE];
    copy_unquoted(why, sizeof why, message);
    const char *keyword = keyword_of(why);
    find_origin(source, conn, keyword ? keyword : "service", origin);
    bool whole = strcmp(origin, source) == 0; /* the rest may be a variable's or a service file's */
    err_set(err, ERR_CONFIG, EXIT_USAGE,
            whole ? "%s: the connection string, or a service file, is not valid: %s" : "%s: %s", origin, why);
    err_hint(err, "correct it: libpq's manual lists the parameters of connections and their values");
    return true;
  }
  return false;
}

/* What a server or its state does not give, by a part of the message: the parameter that asks for it. */
void pg_parameters_blame(const char *source, PGconn *conn, struct err *err) {
  static const struct {
    const char *part, *keyword, *advice;
  } demands[] = {
      {"does not support SSL", "sslmode", "the server offers no TLS, which sslmode asks for"},
      {"certificate", "sslmode", "the server's certificate is not what sslmode and sslrootcert ask for"},
      {"GSSAPI encryption", "gssencmode", "the server offers no GSSAPI encryption, which gssencmode asks for"},
      {"channel binding", "channel_binding", "the server offers no channel binding, which channel_binding asks for"},
      {"session is ", "target_session_attrs", "no server is in the state that target_session_attrs asks for"},
      {"hot standby mode", "target_session_attrs", "no server is in the state that target_session_attrs asks for"},
      {"unrecognized configuration parameter", "options", "the server does not know a setting in options"},
      {"invalid value for parameter", "options", "the server refuses the value of a setting in options"},
      {" requires a ", "options", "the server refuses the value of a setting in options"},
      {"valid range for parameter", "options", "the server refuses the value of a setting in options"},
      {"command-line argument", "options", "the server cannot read options, which are of the form -c NAME=VALUE"},
      {"cannot be changed", "options", "a setting in options cannot be given by a connection"},
      {"permission denied to set parameter", "options", "the role has no right to a setting in options"},
  };
  const char *message = PQerrorMessage(conn);
  char origin[ORIGIN_SIZE];
  for (size_t i = 0; i < sizeof demands / sizeof *demands && !*err->hint; i++) {
    if (!strstr(message, demands[i].part)) continue;
    find_origin(source, conn, demands[i].keyword, origin);
    err_hint(err, "%s: correct %s", demands[i].advice, origin);
  }
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
