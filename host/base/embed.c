/* Looks files up in the table that the build generates (tools/cmake/embed.cmake). */
#include "base/embed.h"

#include <stdlib.h>
#include <string.h>

extern const struct embed_file embed_table[];
extern const size_t embed_table_count;

static int compare_path(const void *path, const void *file) {
  return strcmp(path, ((const struct embed_file *)file)->path);
}

const struct embed_file *embed_files(size_t *count) {
  *count = embed_table_count;
  return embed_table;
}

const struct embed_file *embed_find(const char *path) {
  return bsearch(path, embed_table, embed_table_count, sizeof embed_table[0], compare_path);
}
