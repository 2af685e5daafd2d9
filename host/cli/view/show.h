/* What the commands that list and show have in common: JSON, and names that a person may have mistyped. */
#ifndef LUAFLOW_CLI_VIEW_SHOW_H
#define LUAFLOW_CLI_VIEW_SHOW_H

#include "cli/cli.h"
#include "cli/db.h"

/* Prints the first field of a result as it is, on a terminal laid out for reading; frees the result. */
bool show_result(struct db *db, PGresult *result, struct err *err) __attribute__((warn_unused_result));
/* Runs a statement whose one row is a JSON value, and prints that. */
bool show_json(struct db *db, enum db_statement statement, const char *const *parameters, struct err *err)
    __attribute__((warn_unused_result));

/* Runs the one statement or, with --json, the other, and prints the rows or the JSON. */
bool show_list(struct db *db, const struct settings *settings, enum db_statement rows, enum db_statement json,
               const char *const *parameters, void (*print)(const PGresult *result), struct err *err)
    __attribute__((warn_unused_result));

/* True if the statement, which lists names in one column, has all of these; else exit 1, with the nearest one as a
 * hint or those that there are. what: such as "worker function"; lister: the command that lists them. */
bool show_check_names(struct db *db, enum db_statement statement, const char *what, const char *lister,
                      const char *const *names, int count, struct err *err) __attribute__((warn_unused_result));
/* The literal of a text[]; owned by the caller. */
char *show_array(const char *const *texts, int count);

/* The second words of a command such as "functions enable NAME...". */
struct verb {
  const char *name;
  const char *arguments;
  int least, most; /* of them */
};
/* The error of a command that got only so many of its arguments, which are written as in its usage. */
void show_argument_missing(struct err *err, const char *command, const char *arguments, int given);
/* The index of the verb that the arguments begin with; -1: none, or the wrong number of arguments (*err, exit 2). */
int show_find_verb(const struct call *call, const char *command, const struct verb *verbs, int count, struct err *err);

/* True if the text is a run's id; else exit 2. */
bool show_check_run_id(const char *command, const char *text, struct err *err) __attribute__((warn_unused_result));

#endif
