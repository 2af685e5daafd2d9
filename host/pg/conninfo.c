/* Parses a conninfo with libpq, and refuses what libpq accepts but nobody means, before it is used as a host, a port
 * or a name. */
#include "pg/conninfo.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/xalloc.h"

enum { WORDS_MAX = 80, SHOWN_MAX = 80 /* bytes of a variable's value */ };

static const char hint[] =
    "write postgresql://user:password@host:port/database, with % and two hexadecimal digits for special characters, or "
    "host=... user=... password='...' dbname=...";

/* How libpq's complaints about a text begin; what follows there quotes the text. In each reason of this file, what
 * stands behind "; " is the hint. */
static const struct {
  const char *begins;
  const char *meaning;
} mistakes[] = {
    {"invalid percent-encoded token", "a % in it is not followed by two hexadecimal digits; write % itself as %25"},
    {"forbidden value %00", "it contains %00"},
    {"missing \"=\"",
     "a part of it is not of the form keyword=value; put a value with spaces or quotation marks between ' and write "
     "them as \\'"},
    {"unterminated quoted string", "a quotation mark is not closed; in a value write ' as \\'"},
    {"invalid connection option", "it has a keyword that libpq does not know"},
    {"invalid URI query parameter", "it has a parameter that libpq does not know"},
    {"extra key/value separator", "a parameter has a second =; write it as %3D"},
    {"missing key/value separator", "a parameter has no =; in a password write / as %2F and ? as %3F"},
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
  return authority[user] == '@' ? "it has more than one @; in the user name or the password write @ as %40"
                                : "it has a / before its @; in a password write / as %2F";
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
  return "its database's name contains & and =; write ? before the first parameter";
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
  if (strchr(list, ':')) return "its port contains a :; in a password write : as %3A, and put an IPv6 address in [ ]";
  if (list[strspn(list, "0123456789,")]) return "its port is not a number; in a password write : as %3A and / as %2F";
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
  if (has_at_inside(list)) return "its host contains an @; in a password write @ as %40";
  return count_pieces(list) > CONNINFO_HOSTS_MAX ? "it names more than 16 hosts" : NULL;
}

/* Parameters whose values libpq reads as numbers, but not in each way to connect. */
static const char *wrong_number(const PQconninfoOption *option) {
  static const struct {
    const char *keyword, *why;
  } numbers[] = {
      {"connect_timeout", "connect_timeout is not a whole number"},
      {"keepalives", "keepalives is not a whole number"},
      {"keepalives_idle", "keepalives_idle is not a whole number"},
      {"keepalives_interval", "keepalives_interval is not a whole number"},
      {"keepalives_count", "keepalives_count is not a whole number"},
      {"tcp_user_timeout", "tcp_user_timeout is not a whole number"},
  };
  size_t length = strlen(option->val), digits = strspn(option->val, "0123456789");
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(option->keyword, numbers[i].keyword) != 0 || strcmp(option->val, "-1") == 0) continue;
    if (digits == 0 || digits < length || strtol(option->val, NULL, 10) > INT_MAX) return numbers[i].why;
  }
  return NULL;
}

/* What is wrong with values that libpq has taken; NULL: nothing. */
static const char *wrong_value(const PQconninfoOption *option) {
  const char *value = option->val;
  if (!value) return NULL;
  if (strcmp(option->keyword, "host") == 0) return wrong_hosts(value);
  if (strcmp(option->keyword, "port") == 0) return wrong_ports(value);
  const char *number = wrong_number(option);
  if (number) return number;
  return is_free_text(option->keyword) || is_plain_value(value) ? NULL : "a parameter has a value that it cannot have";
}

static PQconninfoOption *refuse(const char *source, const char *why, struct err *err) {
  const char *remedy = strstr(why, "; ");
  int length = remedy ? (int)(remedy - why) : (int)strlen(why);
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s is not a valid connection string: %.*s", source, length, why);
  err_hint(err, "%s", remedy ? remedy + 2 : hint);
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

/* With the parameter of libpq that is near to it, if one is. */
static void name_foreign(const char *source, const char *name, const char *place, struct err *err) {
  const char *words[WORDS_MAX];
  size_t count = 0;
  PQconninfoOption *known = PQconndefaults();
  for (const PQconninfoOption *option = known; option && option->keyword && count < WORDS_MAX; option++)
    words[count++] = option->keyword;
  const char *meant = nearest(name, words, count);
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: PostgreSQL has no connection parameter %s", source, name);
  if (meant)
    err_hint(err, "did you mean %s?", meant);
  else
    err_hint(err, "remove it from the %s", place);
  PQconninfoFree(known);
}

/* True if what stands behind ? cannot be a piece of a password. */
static bool is_query(const char *authority) {
  const char *query = strchr(authority, '?');
  size_t before = strcspn(authority, "/?"), user = strcspn(authority, "@");
  bool ends = user < before || !memchr(authority, ':', before); /* the password, if there is one */
  if (!ends && query) {
    const char *port = strchr(authority, ':') + 1;
    ends = strspn(port, "0123456789") == before - (size_t)(port - authority);
  }
  return ends && query && !strchr(query, '@');
}

/* True if the name is the first word, or no password comes before it: spaces in one would make words of its pieces. */
static bool is_before_password(const char *conninfo, const char *name, size_t length) {
  const char *password = strstr(conninfo, "password");
  for (const char *at = conninfo; (at = strstr(at, name)) != NULL; at++) {
    bool begins = at == conninfo || isspace((unsigned char)at[-1]);
    if (begins && at[length + strspn(at + length, " ")] == '=') return !password || at < password;
  }
  return false;
}

/* Refuses a parameter that libpq does not know, and names it unless what libpq quotes may be a piece of a password. */
static bool refuse_foreign(const char *source, const char *conninfo, const char *message, struct err *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const char *authority = after_scheme(conninfo);
  const char *beginning = authority ? "invalid URI query parameter: \"" : "invalid connection option \"";
  if (!message || strncmp(message, beginning, strlen(beginning)) != 0) return false;
  const char *quoted = message + strlen(beginning);
  size_t length = strspn(quoted, letters);
  if (length == 0 || quoted[length] != '"') return false;
  char *name = xmemdup(quoted, length);
  bool safe = authority ? is_query(authority) : is_before_password(conninfo, name, length);
  if (safe) name_foreign(source, name, authority ? "URI" : "connection string", err);
  free(name);
  return safe;
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
  bool reported = !options && refuse_foreign(source, conninfo, message, err);
  const char *why = options ? NULL : meaning_of(message);
  for (const PQconninfoOption *option = options; option && option->keyword && !why; option++) why = wrong_value(option);
  PQfreemem(message);
  if (!why || reported) return options;
  PQconninfoFree(options);
  return refuse(source, why, err);
}

bool conninfo_check(const char *source, const char *conninfo, struct err *err) {
  PQconninfoOption *options = conninfo_parse(source, conninfo, err);
  PQconninfoFree(options);
  return options != NULL;
}

void conninfo_refuse_variable(const char *name, const char *why, struct err *err) {
  const char *value = getenv(name);
  bool shown = value && strlen(value) <= SHOWN_MAX;
  err_set(err, ERR_CONFIG, EXIT_USAGE, shown ? "%s: %s: \"%s\"" : "%s: %s", name, why, value);
  err_hint(err, "correct or unset %s: libpq's manual lists the variables and their values", name);
}

bool conninfo_check_environment(const PQconninfoOption *given, struct err *err) {
  for (; given->keyword; given++) {
    char *value = given->val || !given->envvar ? NULL : getenv(given->envvar);
    if (!value || !*value) continue;
    PQconninfoOption option = {.keyword = given->keyword, .val = value};
    bool is_host = strcmp(option.keyword, "host") == 0;
    const char *why = wrong_number(&option);
    if (is_host && count_pieces(value) > CONNINFO_HOSTS_MAX) why = "it names more than 16 hosts";
    if (!why) continue;
    conninfo_refuse_variable(given->envvar, why, err);
    return false;
  }
  return true;
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
