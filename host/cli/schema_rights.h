/* The rights of the role that migrates: owners, PGMQ, group roles. */
#ifndef LUAFLOW_CLI_SCHEMA_RIGHTS_H
#define LUAFLOW_CLI_SCHEMA_RIGHTS_H

#include "cli/db.h"

/* False, exit 6, if another role owns the schema: its code would run with the rights of the role that migrates. */
bool schema_check_owner(struct db *db, struct err *err) __attribute__((warn_unused_result));
/* Creates the extension pgmq if PGMQ is missing. version: of the schema, 0 before it is installed. */
bool schema_ensure_pgmq(struct db *db, int version, struct err *err) __attribute__((warn_unused_result));
/* Prints which group roles are missing because this role cannot create them. Roles belong to the whole cluster. */
void schema_warn_of_roles(struct db *db);
/* Prints what the owner of the schema lacks of the rights on PGMQ, which only others can give. */
void schema_warn_of_pgmq(struct db *db);
/* Adds to the error of a migration that lacks a right who can give it; ends the failed transaction to ask for that.
 * Returns false. */
bool schema_explain_rights(struct db *db, struct err *err);

#endif
