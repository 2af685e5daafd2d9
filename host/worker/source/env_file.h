/* The file of --env-file: what handlers find in ctx.env in addition to the environment. */
#ifndef LUAFLOW_WORKER_SOURCE_ENV_FILE_H
#define LUAFLOW_WORKER_SOURCE_ENV_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Where it is. Texts are borrowed. */
struct env_place {
  const char *path;   /* NULL: there is none */
  const char *source; /* what gave the path: the flag or the variable */
};

struct env_file {
  char **variables; /* owned, "NAME=value", each name once */
  size_t count;
};

/* Reads NAME=value lines; blank lines and lines that begin with # are left out, spaces around name and value too, and
 * a pair of quotes around the whole value. Of two lines with one name the later one counts. A path of NULL
 * gives no variables. False with *err, which names the line but not what is in it: values are secrets. env_file_free is
 * due in any case. */
bool env_file_read(struct env_file *file, const struct env_place *place, struct err *err)
    __attribute__((warn_unused_result));
/* The environment with the file's variables in it, in place of those of the same name, and without those that keep
 * refuses. The texts are borrowed from both, the list, ended by NULL, is the caller's. file may be NULL. */
char **env_file_merge(const struct env_file *file, char **environment, bool (*keep)(const char *variable));
void env_file_free(struct env_file *file);

#endif
