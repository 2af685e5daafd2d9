/* The files of lua/ and sql/ that are inside the executable. */
#ifndef LUAFLOW_BASE_EMBED_H
#define LUAFLOW_BASE_EMBED_H

#include <stddef.h>

/* Never changes and lives as long as the program. */
struct embed_file {
  const char *path; /* "lua/luaflow/flow.lua", "sql/migrations/0001_schema.sql" */
  const char *data; /* length bytes and a NUL after them */
  size_t length;
  const char *sha256; /* of data, in lower-case hexadecimal */
};

/* All of them, sorted by path, byte by byte. */
const struct embed_file *embed_files(size_t *count);
/* NULL if there is no such path. */
const struct embed_file *embed_find(const char *path);

#endif
