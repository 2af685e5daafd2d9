/* Blocking libpq for commands that a person waits for. A statement can be broken off through a file descriptor. */
#ifndef LUAFLOW_CLI_DB_H
#define LUAFLOW_CLI_DB_H

#include <libpq-fe.h>
#include <stdbool.h>

#include "base/err.h"
#include "cli/statements.h"
#include "pg/pg_place.h"

/* How long each of its statements waits for a lock. Then the error names its holder (exit 6). */
enum db_patience {
  DB_WAITS,   /* 10 s */
  DB_HURRIES, /* 2 s: for somebody who looks at all there is */
};

struct db {
  PGconn *connection;
  enum db_patience patience;
  /* Readable: db_run gives up with ERR_RETRY and sets interrupted. -1: nothing breaks a statement off. */
  int interrupt_fd;
  bool interrupted;
  bool names_holder; /* asks who holds a lock: that is not asked of the question itself */
  char source[64];   /* names the conninfo in errors, such as --database */
  const char *what;  /* names the command in errors about its statements; borrowed */
  const char *role;  /* the group role that has all rights for them, for hints; borrowed. NULL: none is named */
};

/* Connects within 10 s, as the application "luaflow COMMAND"; source is where the conninfo came from. On failure *err
 * says why (exit 6); db needs no close then. */
bool db_open(struct db *db, const char *source, const char *conninfo, const char *command, struct err *err)
    __attribute__((warn_unused_result));
void db_close(struct db *db);
/* Where the connection goes, in words (pg_place_of); returns place. */
const char *db_place(const struct db *db, char place[PG_PLACE]);
/* Connects again with what db_open was given. */
bool db_reopen(struct db *db, struct err *err) __attribute__((warn_unused_result));

/* Runs one statement of the list with its text parameters (NULL is SQL null). *result is owned by the caller (PQclear);
 * NULL result throws the rows away. A transaction that DB_BEGIN opens waits for locks without a limit. ERR_RETRY: the
 * connection is broken or the statement was interrupted. */
bool db_run(struct db *db, enum db_statement statement, const char *const *parameters, PGresult **result,
            struct err *err) __attribute__((warn_unused_result));
/* Runs several that only read, with the same parameters, as one look: they see one snapshot, and now() is one time. No
 * transaction may be open. results has room for all; they are the caller's if all succeeded. */
bool db_look(struct db *db, const enum db_statement *list, int count, const char *const *parameters, PGresult **results,
             struct err *err) __attribute__((warn_unused_result));
/* Runs SQL text of several statements, as one transaction unless it says otherwise. what names it in errors, which
 * give the line of the text. */
bool db_run_script(struct db *db, const char *what, const char *sql, struct err *err)
    __attribute__((warn_unused_result));

/* A field of a result, or NULL for SQL null. */
const char *db_text(const PGresult *result, int row, int column);
bool db_bool(const PGresult *result, int row, int column);
/* A number, or 0 for null. */
long long db_number(const PGresult *result, int row, int column);

#endif
