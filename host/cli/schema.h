/* Installing and upgrading the schema, from the SQL inside the executable. */
#ifndef LUAFLOW_CLI_SCHEMA_H
#define LUAFLOW_CLI_SCHEMA_H

#include <stdio.h>

#include "cli/db.h"

struct schema_report {
  int version;  /* of the schema now */
  int applied;  /* migrations that this call applied */
  int replaced; /* files of functions and views, applied every time */
};

/* Applies what is missing, each transaction under a lock that only the schema's owner can take. Refuses, with nothing
 * changed, a pgflow schema that luaflow did not make, one newer than this program and one whose applied migrations
 * differ from this program's (exit 6). Waits a minute for transactions that use what it changes, then fails and names
 * one. */
bool schema_migrate(struct db *db, struct schema_report *report, struct err *err) __attribute__((warn_unused_result));
/* Prints the SQL that schema_migrate would run on an empty database. */
void schema_print(FILE *out);

#endif
