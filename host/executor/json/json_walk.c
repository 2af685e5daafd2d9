/* The stack of open containers and the path that it spells. */
#include "executor/json/json_walk.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "base/xalloc.h"
#include "executor/json/json.h"

enum {
  CAPACITY_MIN = 16,
  PATH_HEAD = 8, /* parts of a long path that are shown at its start */
  PATH_TAIL = 4,
  KEY_SHOWN = 80, /* bytes of a key in a path */
};

bool json_walk_open(struct json_walk *walk, const void *table, bool array) {
  if (walk->depth == JSON_MAX_DEPTH) return false;
  if (walk->depth == walk->capacity) {
    walk->capacity = walk->capacity ? walk->capacity * 2 : CAPACITY_MIN;
    walk->level = xrealloc(walk->level, (size_t)walk->capacity * sizeof *walk->level);
  }
  walk->level[walk->depth++] = (struct json_level){.table = table, .array = array};
  return true;
}

void json_walk_close(struct json_walk *walk) { walk->depth--; }

struct json_level *json_walk_top(struct json_walk *walk) {
  return &walk->level[walk->depth - 1];
}

bool json_walk_holds(const struct json_walk *walk, const void *table) {
  for (int i = 0; i < walk->depth; i++)
    if (walk->level[i].table == table) return true;
  return false;
}

static bool is_name(const char *key, size_t length) {
  for (size_t i = 0; i < length; i++) {
    char c = key[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return length > 0;
}

/* ["key"], with quotes and control characters escaped. */
static void put_quoted(struct buf *out, const char *key, size_t length) {
  struct buf clean = {0};
  utf8_clean(&clean, key, length, KEY_SHOWN);
  buf_put(out, "[\"", 2);
  for (size_t i = 0; i < clean.len; i++) {
    char c = clean.data[i];
    if (c == '"' || c == '\\')
      buf_printf(out, "\\%c", c);
    else if ((unsigned char)c < 0x20)
      buf_printf(out, "\\u%04x", c);
    else
      buf_put(out, &c, 1);
  }
  buf_put(out, "\"]", 2);
  buf_free(&clean);
}

static void put_part(const struct json_level *level, struct buf *out) {
  if (level->array) {
    if (level->index > 0) buf_printf(out, "[%d]", level->index);
  } else if (level->key && is_name(level->key, level->key_length) && level->key_length <= KEY_SHOWN) {
    buf_printf(out, ".%.*s", (int)level->key_length, level->key);
  } else if (level->key) {
    put_quoted(out, level->key, level->key_length);
  }
}

void json_walk_path(const struct json_walk *walk, struct buf *out) {
  bool shorten = walk->depth > PATH_HEAD + PATH_TAIL;
  buf_printf(out, "%s", walk->root);
  for (int i = 0; i < walk->depth; i++) {
    if (shorten && i == PATH_HEAD) {
      buf_printf(out, "...");
      i = walk->depth - PATH_TAIL;
    }
    put_part(&walk->level[i], out);
  }
}

void json_walk_free(struct json_walk *walk) {
  free(walk->level);
  *walk = (struct json_walk){0};
}
