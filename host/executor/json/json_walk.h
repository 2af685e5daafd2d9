/* Where the codec stands inside a value: the open containers from the root down, for the depth limit, for cycles and
 * for the path in a message. Used by both directions. */
#ifndef LUAFLOW_EXECUTOR_JSON_JSON_WALK_H
#define LUAFLOW_EXECUTOR_JSON_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct json_level {
  const void *table; /* identity of the table */
  bool array;
  int index;       /* array: the current element, from 1; 0 before the first */
  const char *key; /* object: the current key, borrowed from Lua; NULL before the first */
  size_t key_length;
};

struct json_walk {
  const char *root;         /* borrowed */
  struct json_level *level; /* owned */
  int depth, capacity;
};

/* Opens a container. False when it would be nested too deep. */
bool json_walk_open(struct json_walk *walk, const void *table, bool array);
void json_walk_close(struct json_walk *walk);
/* The innermost open container; there is one. */
struct json_level *json_walk_top(struct json_walk *walk);
/* Is table one of the open containers? */
bool json_walk_holds(const struct json_walk *walk, const void *table);
/* Appends the place reached, such as output.items[3].when; a long path is shortened in its middle. */
void json_walk_path(const struct json_walk *walk, struct buf *out);
void json_walk_free(struct json_walk *walk);

#endif
