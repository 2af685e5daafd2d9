/* Files and programs of the private server: creates what it needs on disk, finds its programs, reads its logs. */
#ifndef LUAFLOW_CLI_DEV_DEVFILES_H
#define LUAFLOW_CLI_DEV_DEVFILES_H

#include "cli/dev/child.h"

/* The folder of initdb and postgres, owned by the caller: of the version that made data, else the highest found.
 * NULL: none (*err, exit 1). */
char *devfiles_find_programs(const char *data, struct err *err);
/* True if the server has the loadable library. */
bool devfiles_has_library(const char *programs, const char *name);

/* Creates the folder if needed and lets the account (NULL: this user) into it. Refuses one that holds other things. */
bool devfiles_open_folder(const char *folder, const struct account *account, struct err *err)
    __attribute__((warn_unused_result));
/* Creates a folder for the account alone, or uses an existing one if it is exactly that. */
bool devfiles_make_private(const char *folder, const struct account *account, struct err *err)
    __attribute__((warn_unused_result));
/* Deletes a folder with all its contents, if it exists. */
bool devfiles_remove(const char *folder, struct err *err) __attribute__((warn_unused_result));
/* The text of a file, owned by the caller. NULL on failure. */
char *devfiles_read(const char *path, struct err *err);
/* Opens a new log file that the account may write; the previous one becomes FILE.old. -1 with *err on failure. */
int devfiles_open_log(const char *file, const struct account *account, struct err *err);
/* Sets *err to "what: last line of the file" and returns false. */
bool devfiles_explain(const char *file, const char *what, struct err *err);
/* The number in the first line of a file, or 0. */
pid_t devfiles_read_pid(const char *file);
/* True if both paths lead to the same existing thing. */
bool devfiles_same(const char *a, const char *b);

#endif
