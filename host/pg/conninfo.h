/* Reads the text that names a database. No error repeats a piece of it: if it is mistyped, any piece may be the
 * password. Variables of libpq are one value each, and are shown. */
#ifndef LUAFLOW_PG_CONNINFO_H
#define LUAFLOW_PG_CONNINFO_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"

enum { CONNINFO_HOSTS_MAX = 16 };

/* What a conninfo, a URI or the bare name of a database says, and nothing else; to be freed with PQconninfoFree. NULL
 * with *err if it is not valid; source is where it came from, such as "--database". */
PQconninfoOption *conninfo_parse(const char *source, const char *conninfo, struct err *err)
    __attribute__((warn_unused_result));
/* Whether the variables that libpq takes for what the conninfo does not say can be meant, as far as libpq does not find
 * that out in each way to connect. */
bool conninfo_check_environment(const PQconninfoOption *given, struct err *err) __attribute__((warn_unused_result));
/* The error of a variable's value, which it repeats: none of libpq's that can be refused holds a secret. */
void conninfo_refuse_variable(const char *name, const char *why, struct err *err);
/* conninfo_parse without its result. */
bool conninfo_check(const char *source, const char *conninfo, struct err *err) __attribute__((warn_unused_result));
/* True also if it is not valid, since it may hold one then. */
bool conninfo_has_password(const char *conninfo);

#endif
