/* Files and programs around the private server: what it needs on disk, and what its logs say. */
#ifndef LUAFLOW_CLI_DEV_DEVFILES_H
#define LUAFLOW_CLI_DEV_DEVFILES_H

#include "cli/dev/child.h"

/* The folder of initdb and postgres, owned by the caller: of the version that made data, else the highest found.
 * NULL: none (*err, exit 1). */
char *devfiles_find_programs(const char *data, struct err *err);
/* True if the server has the loadable library. */
bool devfiles_has_library(const char *programs, const char *name);

/* Makes the folder if need be and lets the account (NULL: this user) into it. Refuses one that holds other things. */
bool devfiles_open_folder(const char *folder, const struct account *account, struct err *err)
    __attribute__((warn_unused_result));
/* Makes a folder for the account alone, or takes the one that is there if it is just that. */
bool devfiles_make_private(const char *folder, const struct account *account, struct err *err)
    __attribute__((warn_unused_result));
/* Removes a folder with all it holds, if it is there. */
bool devfiles_remove(const char *folder, struct err *err) __attribute__((warn_unused_result));
/* Opens a new log file that the account may write; the one before becomes FILE.old. -1 with *err on failure. */
int devfiles_open_log(const char *file, const struct account *account, struct err *err);
/* Sets *err to "what: last line of the file" and returns false. */
bool devfiles_explain(const char *file, const char *what, struct err *err);
/* The number in the first line of a file, or 0. */
pid_t devfiles_read_pid(const char *file);
/* True if both paths lead to the same existing thing. */
bool devfiles_same(const char *a, const char *b);

#endif
