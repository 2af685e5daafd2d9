/* Looking at the schema that a database has. */
#ifndef LUAFLOW_CLI_SCHEMA_VERIFY_H
#define LUAFLOW_CLI_SCHEMA_VERIFY_H

#include "cli/db.h"

#define SCHEMA_CREATE_UTF8 "create database NAME encoding 'UTF8' template template0"

/* Whether the database has a schema pgflow. False, exit 6, for one that luaflow did not create. */
bool schema_find(struct db *db, bool *exists, struct err *err) __attribute__((warn_unused_result));
/* Puts the schema's version into *version, 0 without a schema. False, exit 6, if row security hides its rows. */
bool schema_read_version(struct db *db, int *version, bool *too_new, struct err *err)
    __attribute__((warn_unused_result));
/* Fills *err: a newer luaflow has upgraded the schema. Returns false. */
bool schema_refuse_newer(int version, struct err *err);
/* True if this program can work with the database's schema; else exit 6 with what to do. */
bool schema_verify(struct db *db, struct err *err) __attribute__((warn_unused_result));
/* True if none of its functions and views is missing, which schema_verify does not look at. */
bool schema_verify_whole(struct db *db, struct err *err) __attribute__((warn_unused_result));

#endif
