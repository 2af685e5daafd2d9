/* Which database a command talks to, and its connection. */
#ifndef LUAFLOW_CLI_CLIENT_H
#define LUAFLOW_CLI_CLIENT_H

#include "base/settings.h"
#include "cli/db.h"
#include "worker/source/env_file.h"

/* "This folder": --root, else the root found from the current folder. Absolute, without links; owned by the caller.
 * NULL: it does not exist (*err, exit 2). */
char *client_root(const struct settings *settings, struct err *err);
/* True if the conninfo that the setting gives is valid, or NULL; else *err (exit 2) names the flag or the variable,
 * and nothing of its text. */
bool client_check_conninfo(const struct settings *settings, enum setting setting, const char *conninfo, struct err *err)
    __attribute__((warn_unused_result));
/* Where --env-file is; source is room for its source. */
struct env_place client_env_file(const struct settings *settings, char *source, size_t size);
/* What names that conninfo in errors: the flag, the variable, or dev. */
void client_database_source(const struct settings *settings, char *out, size_t size);
/* The conninfo of --database, or of the dev database of this folder while it runs; owned by the caller. NULL: neither
 * (*err, exit 6), or it is not valid (exit 2). */
char *client_find_database(const struct settings *settings, struct err *err);
/* True if that database is of a dev that has not started all its workers: flows may not be deployed yet. */
bool client_dev_is_starting(const struct settings *settings);
/* Waits until it has. False: it takes too long, or dev has ended. */
bool client_await_dev(const struct settings *settings);
/* Connects to that database. */
bool client_connect(const struct settings *settings, const char *command, struct db *db, struct err *err)
    __attribute__((warn_unused_result));
/* Who may use a command: the group roles. */
#define ROLE_STARTER "pgflow_starter"
#define ROLE_READER "pgflow_reader"
#define ROLE_OPERATOR "pgflow_operator"
/* Connects for a command that the group role may use, and checks that this program can work with the schema there
 * (exit 6). */
bool client_connect_to_schema(const struct settings *settings, const char *command, const char *role, struct db *db,
                              struct err *err) __attribute__((warn_unused_result));

#endif
