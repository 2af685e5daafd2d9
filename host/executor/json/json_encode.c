/* Lua values to JSON text. The writer is a userdata, so that an error of the Lua API (out of memory) frees it too.
 * Tables are read raw. Every refusal names the path and the type. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/json/json.h"
#include "executor/json/json_number.h"
#include "executor/json/json_string.h"
#include "executor/json/json_walk.h"

enum { LUA_TYPE_CDATA = 10 /* LuaJIT's own type, absent from lua.h */ };

static const char writer_type[] = "luaflow.json writer";

struct writer {
  lua_State *L;
  const struct json *json;
  size_t limit;
  const char *limited_by;
  bool empty_array;
  bool of_code;
  struct json_walk walk;
  struct buf out;
  struct buf keys; /* struct key of every open object, innermost last */
  struct buf message;
};

struct key {
  const char *bytes; /* borrowed from the table that holds the key */
  size_t length;
};

/* What the keys of a table say. */
struct census {
  size_t strings;
  size_t indexes; /* whole numbers from 1 */
  double highest; /* index */
  int other;      /* type of a key that is neither, LUA_TNIL: none */
};

static bool write_value(struct writer *writer, int index);

static int writer_free(lua_State *L) {
  struct writer *writer = luaL_checkudata(L, 1, writer_type);
  json_walk_free(&writer->walk);
  buf_free(&writer->out);
  buf_free(&writer->keys);
  buf_free(&writer->message);
  return 0;
}

static bool refuse_as_it_is(struct writer *writer, const char *why) {
  json_walk_path(&writer->walk, &writer->message);
  buf_printf(&writer->message, ": %s", why);
  return false;
}

static bool refuse(struct writer *writer, const char *what) {
  refuse_as_it_is(writer, what);
  buf_printf(&writer->message, ", which JSON cannot hold");
  return false;
}

/* Refuses what no data can bring about: a value that has no counterpart in JSON, or a cycle. */
static bool refuse_code(struct writer *writer, const char *what) {
  writer->of_code = true;
  return refuse(writer, what);
}

static bool check_limit(struct writer *writer, size_t more) {
  if (writer->out.len + more <= writer->limit) return true;
  buf_printf(&writer->message, "%s: larger than %zu bytes", writer->walk.root, writer->limit);
  if (writer->limited_by) buf_printf(&writer->message, " (%s)", writer->limited_by);
  return false;
}

static bool write_string(struct writer *writer, const char *bytes, size_t length) {
  if (!check_limit(writer, length + 2)) return false;
  const char *wrong = json_string_write(&writer->out, bytes, length);
  return wrong ? refuse_as_it_is(writer, wrong) : true;
}

static bool write_number(struct writer *writer, double number) {
  if (isnan(number)) return refuse(writer, "NaN");
  if (isinf(number)) return refuse(writer, "infinity");
  json_number_write(&writer->out, number);
  return true;
}

static bool is_ctype(struct writer *writer, int index, int ctype) {
  lua_State *L = writer->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, writer->json->istype);
  lua_rawgeti(L, LUA_REGISTRYINDEX, ctype);
  lua_pushvalue(L, index);
  lua_call(L, 2, 1);
  bool same = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return same;
}

static bool write_cdata(struct writer *writer, int index) {
  int64_t integer;
  bool is_unsigned = is_ctype(writer, index, writer->json->uint64);
  if (!is_unsigned && !is_ctype(writer, index, writer->json->int64)) return refuse_code(writer, "cdata");
  memcpy(&integer, lua_topointer(writer->L, index), sizeof integer);
  if (is_unsigned && integer < 0) return refuse_as_it_is(writer, "integer outside the range of int64_t");
  buf_printf(&writer->out, "%lld", (long long)integer);
  return true;
}

/* Counts the keys of the table at index; those of type string are appended to keys. */
static struct census take_census(struct writer *writer, int index) {
  lua_State *L = writer->L;
  struct census census = {.other = LUA_TNIL};
  lua_pushnil(L);
  while (lua_next(L, index)) {  // [key, value]
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      struct key key;
      key.bytes = lua_tolstring(L, -1, &key.length);
      buf_put(&writer->keys, &key, sizeof key);
      census.strings++;
      continue;
    }
    double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (number >= 1 && number == floor(number)) {
      census.indexes++;
      if (number > census.highest) census.highest = number;
    } else {
      census.other = lua_type(L, -1);
    }
  }
  return census;
}

enum mark { MARK_NONE, MARK_ARRAY, MARK_OBJECT };

/* A metatable that is itself marked marks its table too: see json.mark of lua/luaflow/json.lua. */
static enum mark mark_of(struct writer *writer, int index) {
  lua_State *L = writer->L;
  enum mark mark = MARK_NONE;
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, writer->json->array_mt);
  lua_rawgeti(L, LUA_REGISTRYINDEX, writer->json->object_mt);
  lua_pushvalue(L, index);  // [array_mt, object_mt, table]
  for (int i = 0; i < 2 && mark == MARK_NONE && lua_getmetatable(L, -1); i++) {
    if (lua_rawequal(L, -1, top + 1))
      mark = MARK_ARRAY;
    else if (lua_rawequal(L, -1, top + 2))
      mark = MARK_OBJECT;
  }
  lua_settop(L, top);
  return mark;
}

static bool refuse_hole(struct writer *writer, int index) {
  char what[64];
  int at = 1;
  for (bool there = true; there; at++) {
    lua_rawgeti(writer->L, index, at);
    there = !lua_isnil(writer->L, -1);
    lua_pop(writer->L, 1);
  }
  snprintf(what, sizeof what, "array with a hole at %d", at - 1);
  return refuse(writer, what);
}

/* Says what is wrong with the table at index if its keys fit neither an array nor an object. */
static bool check_keys(struct writer *writer, int index, const struct census *census, enum mark mark) {
  if (census->other == LUA_TNUMBER) return refuse(writer, "table with a number key that is not an array index");
  if (census->other != LUA_TNIL) {
    char what[64];
    const char *type = census->other == LUA_TYPE_CDATA ? "cdata" : lua_typename(writer->L, census->other);
    snprintf(what, sizeof what, "table with a key of type %s", type);
    return refuse_code(writer, what);
  }
  if (mark == MARK_ARRAY && census->strings) return refuse(writer, "array with string keys");
  if (mark == MARK_OBJECT && census->indexes) return refuse(writer, "object with number keys");
  if (census->strings && census->indexes) return refuse(writer, "table with both string and number keys");
  return (double)census->indexes == census->highest || refuse_hole(writer, index);
}

/* [] -> [element] */
static bool write_elements(struct writer *writer, int index, size_t count) {
  lua_State *L = writer->L;
  buf_put(&writer->out, "[", 1);
  for (size_t i = 1; i <= count; i++) {
    if (i > 1) buf_put(&writer->out, ",", 1);
    json_walk_top(&writer->walk)->index = (int)i;
    lua_rawgeti(L, index, (int)i);
    if (!write_value(writer, lua_gettop(L))) return false;
    lua_pop(L, 1);
  }
  buf_put(&writer->out, "]", 1);
  return true;
}

static int compare_keys(const void *left, const void *right) {
  const struct key *a = left, *b = right;
  size_t shorter = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->bytes, b->bytes, shorter);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Writes the object whose keys begin at start in writer->keys. */
static bool write_fields(struct writer *writer, int index, size_t start) {
  lua_State *L = writer->L;
  size_t end = writer->keys.len;
  if (end > start)
    qsort(writer->keys.data + start, (end - start) / sizeof(struct key), sizeof(struct key), compare_keys);
  buf_put(&writer->out, "{", 1);
  for (size_t at = start; at < end; at += sizeof(struct key)) {
    struct key key;
    memcpy(&key, writer->keys.data + at, sizeof key);
    struct json_level *level = json_walk_top(&writer->walk);
    level->key = key.bytes;
    level->key_length = key.length;
    if (at > start) buf_put(&writer->out, ",", 1);
    if (!write_string(writer, key.bytes, key.length)) return false;
    buf_put(&writer->out, ":", 1);
    lua_pushlstring(L, key.bytes, key.length);
    lua_rawget(L, index);
    if (!write_value(writer, lua_gettop(L))) return false;
    lua_pop(L, 1);
  }
  buf_put(&writer->out, "}", 1);
  return true;
}

static bool write_table(struct writer *writer, int index) {
  lua_State *L = writer->L;
  const void *table = lua_topointer(L, index);
  if (json_walk_holds(&writer->walk, table)) return refuse_code(writer, "cycle");
  if (writer->walk.depth == JSON_MAX_DEPTH) return refuse_as_it_is(writer, "nested deeper than 512");
  luaL_checkstack(L, 8, "JSON");
  size_t start = writer->keys.len;
  enum mark mark = mark_of(writer, index);
  struct census census = take_census(writer, index);
  if (!check_keys(writer, index, &census, mark)) return false;
  bool empty_array = mark == MARK_NONE && writer->empty_array && writer->walk.depth == 0 && census.strings == 0;
  bool array = mark == MARK_ARRAY || census.indexes > 0 || empty_array;
  json_walk_open(&writer->walk, table, array);
  bool good = array ? write_elements(writer, index, census.indexes) : write_fields(writer, index, start);
  if (!good) return false;
  json_walk_close(&writer->walk);
  writer->keys.len = start;
  return true;
}

static bool write_value(struct writer *writer, int index) {
  lua_State *L = writer->L;
  size_t length;
  const char *bytes;
  int type = lua_type(L, index);
  if (!check_limit(writer, 1)) return false;
  switch (type) {
    case LUA_TNIL:
      buf_put(&writer->out, "null", 4);
      return true;
    case LUA_TBOOLEAN:
      buf_printf(&writer->out, "%s", lua_toboolean(L, index) ? "true" : "false");
      return true;
    case LUA_TNUMBER:
      return write_number(writer, lua_tonumber(L, index));
    case LUA_TSTRING:
      bytes = lua_tolstring(L, index, &length);
      return write_string(writer, bytes, length);
    case LUA_TTABLE:
      return write_table(writer, index);
    case LUA_TYPE_CDATA:
      return write_cdata(writer, index);
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(L, index)) return refuse_code(writer, "userdata");
      buf_put(&writer->out, "null", 4);
      return true;
    default:
      return refuse_code(writer, lua_typename(L, type));
  }
}

/* [] -> [writer] */
static struct writer *push_writer(lua_State *L, const struct json *json, const struct json_options *options) {
  struct writer *writer = lua_newuserdata(L, sizeof *writer);
  *writer = (struct writer){.L = L,
                            .json = json,
                            .limit = options->limit,
                            .limited_by = options->limited_by,
                            .empty_array = options->empty_array,
                            .walk = {.root = options->root}};
  if (luaL_newmetatable(L, writer_type)) {
    lua_pushcfunction(L, writer_free);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  return writer;
}

bool json_encode(lua_State *L, const struct json *json, int index, const struct json_options *options) {
  luaL_checkstack(L, 8, "JSON");
  if (index < 0) index += lua_gettop(L) + 1;
  struct writer *writer = push_writer(L, json, options);
  int top = lua_gettop(L);  // [writer]
  bool good = write_value(writer, index) && check_limit(writer, 0);
  lua_settop(L, top);
  if (options->of_code) *options->of_code = writer->of_code;
  if (good)
    lua_pushlstring(L, writer->out.data, writer->out.len);
  else
    lua_pushlstring(L, writer->message.data, writer->message.len);
  lua_pushcfunction(L, writer_free);
  lua_pushvalue(L, top);
  lua_call(L, 1, 0);
  lua_remove(L, top);
  return good;
}
