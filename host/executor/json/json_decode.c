/* JSON text to Lua values: yajl reads, each callback pushes onto the Lua stack. The reader is a userdata, so that an
 * error of the Lua API in a callback (out of memory) frees it too. */
#include <lauxlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/utf8.h"
#include "executor/json/json.h"
#include "executor/json/json_number.h"
#include "executor/json/json_walk.h"

static const char reader_type[] = "luaflow.json reader";

struct reader {
  lua_State *L; /* [..., container, key of an object, container, ...]: what is open, then the value just read */
  const struct json *json;
  yajl_handle parser;
  struct json_walk walk;
  struct buf message;
};

static int reader_free(lua_State *L) {
  struct reader *reader = luaL_checkudata(L, 1, reader_type);
  if (reader->parser) yajl_free(reader->parser);
  reader->parser = NULL;
  json_walk_free(&reader->walk);
  buf_free(&reader->message);
  return 0;
}

/* Stores the message; its 0 ends the parse. */
static int refuse(struct reader *reader, const char *what) {
  json_walk_path(&reader->walk, &reader->message);
  buf_printf(&reader->message, ": %s", what);
  return 0;
}

/* A value begins: makes room for it and a key, and counts an element. */
static void value_begins(struct reader *reader) {
  luaL_checkstack(reader->L, 4, "JSON");
  if (reader->walk.depth > 0) json_walk_top(&reader->walk)->index++;
}

/* The value on top is whole: it goes into its container, or stays as the result. */
static int value_ends(struct reader *reader) {
  if (reader->walk.depth == 0) return 1;
  struct json_level *level = json_walk_top(&reader->walk);
  if (level->array)
    lua_rawseti(reader->L, -2, level->index);
  else
    lua_rawset(reader->L, -3);
  return 1;
}

static int on_null(void *context) {
  struct reader *reader = context;
  value_begins(reader);
  lua_pushlightuserdata(reader->L, NULL);
  return value_ends(reader);
}

static int on_boolean(void *context, int value) {
  struct reader *reader = context;
  value_begins(reader);
  lua_pushboolean(reader->L, value);
  return value_ends(reader);
}

/* A new int64_t cdata is zero; the API has no call that sets it, so it is written through its address. */
static void push_int64(struct reader *reader, int64_t integer) {
  lua_rawgeti(reader->L, LUA_REGISTRYINDEX, reader->json->int64);
  lua_call(reader->L, 0, 1);
  memcpy((void *)(uintptr_t)lua_topointer(reader->L, -1), &integer, sizeof integer);
}

static int on_number(void *context, const char *text, size_t length) {
  struct reader *reader = context;
  double number = 0;
  int64_t integer = 0;
  value_begins(reader);
  switch (json_number_read(text, length, &number, &integer)) {
    case JSON_DOUBLE:
      lua_pushnumber(reader->L, number);
      return value_ends(reader);
    case JSON_INT64:
      push_int64(reader, integer);
      return value_ends(reader);
    case JSON_OUTSIDE_INT64:
      return refuse(reader, "integer outside the range of int64_t");
    case JSON_OUTSIDE_DOUBLE:
      return refuse(reader, "number beyond the range of a double");
  }
  return 0;
}

/* yajl lets surrogates and overlong forms pass. */
static bool is_utf8(const char *text, size_t length) {
  for (size_t at = 0; at < length;) {
    size_t size = utf8_sequence(text + at, length - at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

static const char not_utf8[] = "string that is not valid UTF-8";

static int on_string(void *context, const unsigned char *text, size_t length) {
  struct reader *reader = context;
  value_begins(reader);
  if (!is_utf8((const char *)text, length)) return refuse(reader, not_utf8);
  lua_pushlstring(reader->L, (const char *)text, length);
  return value_ends(reader);
}

static int on_map_key(void *context, const unsigned char *text, size_t length) {
  struct reader *reader = context;
  struct json_level *level = json_walk_top(&reader->walk);
  level->key = NULL;
  if (!is_utf8((const char *)text, length)) return refuse(reader, not_utf8);
  lua_pushlstring(reader->L, (const char *)text, length);
  level->key = lua_tolstring(reader->L, -1, &level->key_length);
  return 1;
}

static int container_begins(struct reader *reader, bool array) {
  value_begins(reader);
  lua_newtable(reader->L);
  if (!json_walk_open(&reader->walk, NULL, array)) return refuse(reader, "nested deeper than 512");
  return 1;
}

/* [container] -> [container with its mark] */
static void mark(struct reader *reader, int metatable) {
  lua_rawgeti(reader->L, LUA_REGISTRYINDEX, metatable);
  lua_setmetatable(reader->L, -2);
}

static int on_start_map(void *context) { return container_begins(context, false); }

/* Only an empty object needs its mark: a handler that returns it unchanged means {}, whatever the step. */
static int on_end_map(void *context) {
  struct reader *reader = context;
  if (!json_walk_top(&reader->walk)->key) mark(reader, reader->json->object_mt);
  json_walk_close(&reader->walk);
  return value_ends(reader);
}

static int on_start_array(void *context) { return container_begins(context, true); }

static int on_end_array(void *context) {
  struct reader *reader = context;
  mark(reader, reader->json->array_mt);
  json_walk_close(&reader->walk);
  return value_ends(reader);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_map_key,
    .yajl_end_map = on_end_map,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end_array,
};

/* yajl's words without the text, which would quote values. */
static void explain(struct reader *reader) {
  unsigned char *error = yajl_get_error(reader->parser, 0, NULL, 0);
  size_t length = strcspn((const char *)error, "\n");
  json_walk_path(&reader->walk, &reader->message);
  buf_printf(&reader->message, ": %.*s", (int)length, (const char *)error);
  yajl_free_error(reader->parser, error);
}

/* [] -> [reader] */
static struct reader *push_reader(lua_State *L, const struct json *json, const char *root) {
  struct reader *reader = lua_newuserdata(L, sizeof *reader);
  *reader = (struct reader){.L = L, .json = json, .walk = {.root = root}};
  if (luaL_newmetatable(L, reader_type)) {
    lua_pushcfunction(L, reader_free);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  reader->parser = yajl_alloc(&callbacks, NULL, reader);
  return reader;
}

bool json_decode(lua_State *L, const struct json *json, const char *text, size_t length, const char *root) {
  size_t failed_at;
  return json_decode_at(L, json, text, length, root, &failed_at);
}

bool json_decode_at(lua_State *L, const struct json *json, const char *text, size_t length, const char *root,
                    size_t *failed_at) {
  *failed_at = 0;
  luaL_checkstack(L, 8, "JSON");
  struct reader *reader = push_reader(L, json, root);
  int top = lua_gettop(L);  // [reader]
  yajl_status status = yajl_parse(reader->parser, (const unsigned char *)text, length);
  if (status == yajl_status_ok) status = yajl_complete_parse(reader->parser);
  if (status == yajl_status_error) {
    explain(reader);
    *failed_at = yajl_get_bytes_consumed(reader->parser);
  }
  bool good = status == yajl_status_ok;
  if (!good) {
    lua_settop(L, top);
    lua_pushlstring(L, reader->message.data, reader->message.len);
  }  // [reader, value or message]
  lua_pushcfunction(L, reader_free);
  lua_pushvalue(L, top);
  lua_call(L, 1, 0);
  lua_remove(L, top);
  return good;
}
