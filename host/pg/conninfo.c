/* Parses a conninfo with libpq, and refuses what libpq accepts but nobody means, before it is used as a host, a port
 * or a name. */
#include "pg/conninfo.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static const char hint[] =
    "write postgresql://user:password@host:port/database, with % and two hexadecimal digits for special characters, or "
    "host=... user=... password='...' dbname=...";

/* How libpq's complaints about a text begin; what follows there quotes the text. */
static const struct {
  const char *begins;
  const char *meaning;
} mistakes[] = {
    {"invalid percent-encoded token", "a % in it is not followed by two hexadecimal digits; % itself is %25"},
    {"forbidden value %00", "it contains %00"},
    {"missing \"=\"",
     "a part of it is not of the form keyword=value; put a value with spaces or quotation marks between ' and write "
     "them as \\'"},
    {"unterminated quoted string", "a quotation mark is not closed; in a value ' is written \\'"},
    {"invalid connection option", "it has a keyword that libpq does not know"},
    {"invalid URI query parameter", "it has a parameter that libpq does not know"},
    {"extra key/value separator", "a parameter has a second =, which is written %3D"},
    {"missing key/value separator", "a parameter has no =; in a password / is written %2F and ? is written %3F"},
    {"end of string reached when looking for matching", "a [ is not closed"},
    {"IPv6 host address may not be empty", "its address in [] is empty"},
    {"unexpected character", "an unexpected character follows a ]"},
};

static const char *meaning_of(const char *message) {
  for (size_t i = 0; message && i < sizeof mistakes / sizeof *mistakes; i++)
    if (strncmp(message, mistakes[i].begins, strlen(mistakes[i].begins)) == 0) return mistakes[i].meaning;
  return "it cannot be read";
}

/* What follows the scheme; NULL if it is not a URI. */
static const char *after_scheme(const char *conninfo) {
  static const char *const schemes[] = {"postgresql://", "postgres://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncmp(conninfo, schemes[i], strlen(schemes[i])) == 0) return conninfo + strlen(schemes[i]);
  return NULL;
}

/* libpq ends the password at the first @, and looks for none behind the first slash. */
static const char *wrong_authority(const char *authority) {
  size_t user = strcspn(authority, "@/");
  const char *rest = authority[user] == '@' ? authority + user + 1 : authority;
  if (strcspn(rest, "@") >= strcspn(rest, "?")) return NULL;
  return authority[user] == '@' ? "it has one @ too many; in a password @ is written %40"
                                : "it has a / before its @; in a password / is written %2F";
}

/* Parameters that would be a part of the database's name. */
static bool has_stray_parameters(const char *authority) {
  const char *path = strchr(authority, '/');
  size_t length = path ? strcspn(path, "?") : 0;
  const char *and = path ? memchr(path, '&', length) : NULL;
  return and&&memchr(and, '=', length - (size_t)(and-path));
}

/* What was copied with the text: libpq would take it for a part of a name, or report something else. */
static const char *wrong_edges(const char *text) {
  size_t length = strlen(text);
  if (*text == '\'' || *text == '"') return "it begins with a quotation mark, which does not belong to it";
  if (!after_scheme(text + strspn(text, " \t\r\n"))) return NULL;
  if (isspace((unsigned char)*text)) return "it begins with a space";
  if (isspace((unsigned char)text[length - 1])) return "it ends with a space or a line break";
  return NULL;
}

/* NULL: nothing is wrong that libpq would not report. */
static const char *wrong_uri(const char *authority) {
  const char *why = wrong_authority(authority);
  if (why || !has_stray_parameters(authority)) return why;
  return "its database's name contains & and =: the first parameter follows a ?";
}

static bool is_bare_name(const char *text) {
  if (*text == '\0') return false;
  for (const char *c = text; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("_-.$", *c) && (unsigned char)*c < 0x80) return false;
  return true;
}

/* Values that are texts of the user's; all others are words and numbers. */
static bool is_free_text(const char *keyword) {
  static const char *const keywords[] = {
      "user",    "password",    "passfile",         "dbname",  "host",
      "options", "service",     "application_name", "sslcert", "fallback_application_name",
      "sslkey",  "sslrootcert", "sslpassword",      "sslcrl",  "sslcrldir",
      "gsslib",  "krbsrvname",  "requirepeer",
  };
  for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
    if (strcmp(keyword, keywords[i]) == 0) return true;
  return false;
}

static bool is_plain_value(const char *value) {
  for (; *value; value++)
    if (!isalnum((unsigned char)*value) && !strchr("-_.,:%", *value)) return false;
  return true;
}

static int count_pieces(const char *list) {
  int count = 1;
  for (; *list; list++) count += *list == ',';
  return count;
}

static const char *wrong_ports(const char *list) {
  if (strchr(list, ':'))
    return "its port contains a :; in a password : is written %3A, and an IPv6 address stands in [ ]";
  if (list[strspn(list, "0123456789,")])
    return "its port is not a number; in a password : is written %3A and / is written %2F";
  for (; *list; list += *list == ',') {
    char *end;
    unsigned long port = strtoul(list, &end, 10);
    if (end > list && (port < 1 || port > 65535)) return "its port is not between 1 and 65535";
    list = end;
  }
  return NULL;
}

/* An @ may begin a socket's name, but a host's has none. */
static bool has_at_inside(const char *hosts) {
  for (const char *at = hosts; (at = strchr(at, '@')); at++)
    if (at != hosts && at[-1] != ',') return true;
  return false;
}

static const char *wrong_hosts(const char *list) {
  if (has_at_inside(list)) return "its host contains an @; in a password @ is written %40";
  return count_pieces(list) > CONNINFO_HOSTS_MAX ? "it names more than 16 hosts" : NULL;
}

/* What is wrong with values that libpq has taken; NULL: nothing. */
static const char *wrong_value(const PQconninfoOption *option) {
  const char *value = option->val;
  if (!value) return NULL;
  if (strcmp(option->keyword, "host") == 0) return wrong_hosts(value);
  if (strcmp(option->keyword, "port") == 0) return wrong_ports(value);
  return is_free_text(option->keyword) || is_plain_value(value) ? NULL : "a parameter has a value that it cannot have";
}

static PQconninfoOption *refuse(const char *source, const char *why, struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s is not a valid connection string: %s", source, why);
  err_hint(err, "%s", hint);
  return NULL;
}

static PQconninfoOption *parse_name(const char *source, const char *name, struct err *err) {
  if (strstr(name, "://"))
    return refuse(source, "its scheme is not postgresql:// or postgres:// in small letters", err);
  if (!is_bare_name(name)) return refuse(source, "it is neither a URI nor of the form keyword=value", err);
  PQconninfoOption *options = PQconninfoParse("dbname=''", NULL);
  for (PQconninfoOption *option = options; option && option->keyword; option++) {
    if (strcmp(option->keyword, "dbname") != 0) continue;
    free(option->val);
    option->val = xstrdup(name);
  }
  return options;
}

PQconninfoOption *conninfo_parse(const char *source, const char *conninfo, struct err *err) {
  const char *authority = after_scheme(conninfo);
  size_t scheme = strcspn(conninfo, "= '");
  const char *foreign = strstr(conninfo, "://");
  const char *first = wrong_edges(conninfo);
  if (!first && authority) first = wrong_uri(authority);
  if (first) return refuse(source, first, err);
  if (!authority && (!strchr(conninfo, '=') || (foreign && foreign < conninfo + scheme)))
    return parse_name(source, conninfo, err);
  char *message = NULL;
  PQconninfoOption *options = PQconninfoParse(conninfo, &message);
  const char *why = options ? NULL : meaning_of(message);
  for (const PQconninfoOption *option = options; option && option->keyword && !why; option++) why = wrong_value(option);
  PQfreemem(message);
  if (!why) return options;
  PQconninfoFree(options);
  return refuse(source, why, err);
}

bool conninfo_check(const char *source, const char *conninfo, struct err *err) {
  PQconninfoOption *options = conninfo_parse(source, conninfo, err);
  PQconninfoFree(options);
  return options != NULL;
}

bool conninfo_has_password(const char *conninfo) {
  struct err err;
  PQconninfoOption *options = conninfo_parse("", conninfo, &err);
  bool found = !options;
  for (const PQconninfoOption *option = options; option && option->keyword; option++)
    found = found ||
            (option->val && (strcmp(option->keyword, "password") == 0 || strcmp(option->keyword, "sslpassword") == 0));
  PQconninfoFree(options);
  return found;
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

bool conninfo_refuse(const char *source, const char *message, struct err *err) {
  static const char *const beginnings[] = {
      "invalid ",        "definition of service", "could not match", "Unix-domain socket path",
      "could not parse", "sslmode value",         "channel_binding", "gssencmode value",
      "weak sslmode",    "service file",          "syntax error",    "nested service",
  };
  if (lacks_user(source, message, err)) return true;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
    if (strncmp(message, beginnings[i], strlen(beginnings[i])) != 0) continue;
    char why[256];
    copy_unquoted(why, sizeof why, message);
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: the connection string or a PG* variable is not valid: %s", source, why);
    err_hint(err, "libpq's manual lists the parameters of connections and their values");
    return true;
  }
  return false;
}
