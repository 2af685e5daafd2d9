/* One reader for each kind of type, and one for arrays of them. */
#include "executor/bind/pg_value.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "executor/json/json_number.h"

enum kind { KIND_TEXT, KIND_BOOL, KIND_INTEGER, KIND_FLOAT, KIND_NUMERIC, KIND_JSON, KIND_BYTEA };

/* OIDs of built-in types, which never change: the type's own and that of its arrays. */
static const struct {
  uint32_t type, array;
  enum kind kind;
} types[] = {
    {16, 1000, KIND_BOOL},      {17, 1001, KIND_BYTEA},   {20, 1016, KIND_INTEGER}, {21, 1005, KIND_INTEGER},
    {23, 1007, KIND_INTEGER},   {26, 1028, KIND_INTEGER}, {700, 1021, KIND_FLOAT},  {701, 1022, KIND_FLOAT},
    {1700, 1231, KIND_NUMERIC}, {114, 199, KIND_JSON},    {3802, 3807, KIND_JSON},  {18, 1002, KIND_TEXT},
    {19, 1003, KIND_TEXT},      {25, 1009, KIND_TEXT},    {1042, 1014, KIND_TEXT},  {1043, 1015, KIND_TEXT},
    {2950, 2951, KIND_TEXT},    {1082, 1182, KIND_TEXT},  {1114, 1115, KIND_TEXT},  {1184, 1185, KIND_TEXT},
    {1083, 1183, KIND_TEXT},    {1266, 1270, KIND_TEXT},  {1186, 1187, KIND_TEXT},  {869, 1041, KIND_TEXT},
    {650, 651, KIND_TEXT},      {829, 1040, KIND_TEXT},   {774, 775, KIND_TEXT},    {1560, 1561, KIND_TEXT},
    {1562, 1563, KIND_TEXT},    {790, 791, KIND_TEXT},    {142, 143, KIND_TEXT},
};

enum { TYPE_COUNT = sizeof types / sizeof *types, DIMENSIONS_MAX = 6, EXPONENT_MAX = 100000 };

struct reader {
  lua_State *L;
  const struct json *json;
  const char *name;
  enum kind kind;
  const char *at, *end; /* of an array's text */
  struct buf element;   /* unquoted */
};

/* ---- scalars ---- */

/* A new int64_t cdata is zero; the API has no call that sets it, so it is written through its address. */
static void push_int64(const struct reader *reader, int64_t integer) {
  lua_rawgeti(reader->L, LUA_REGISTRYINDEX, reader->json->int64);
  lua_call(reader->L, 0, 1);
  memcpy((void *)(uintptr_t)lua_topointer(reader->L, -1), &integer, sizeof integer);
}

static void push_integer(const struct reader *reader, struct text text) {
  double number;
  int64_t integer;
  if (json_number_read(text.bytes, text.length, &number, &integer) == JSON_INT64)
    push_int64(reader, integer);
  else
    lua_pushnumber(reader->L, number);
}

static bool is(struct text text, const char *word) {
  return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* NaN and the infinities, which JSON does not have. */
static bool read_special(struct text text, double *number) {
  if (is(text, "NaN"))
    *number = (double)NAN;
  else if (is(text, "Infinity"))
    *number = HUGE_VAL;
  else if (is(text, "-Infinity"))
    *number = -HUGE_VAL;
  else
    return false;
  return true;
}

static void push_float(const struct reader *reader, struct text text) {
  double number;
  int64_t integer;
  if (!read_special(text, &number) && json_number_read(text.bytes, text.length, &number, &integer) == JSON_INT64)
    number = (double)integer;
  lua_pushnumber(reader->L, number);
}

/* The integer between the two, or one that is as far beyond every double. */
static long read_exponent(const char *at, const char *end) {
  bool negative = at < end && *at == '-';
  long exponent = 0;
  if (at < end && (*at == '-' || *at == '+')) at++;
  for (; at < end && *at >= '0' && *at <= '9' && exponent < EXPONENT_MAX; at++) exponent = exponent * 10 + (*at - '0');
  return negative ? -exponent : exponent;
}

/* Appends the digits without zeros at either end, and returns the power of ten of the first; 0 for zero. */
static long normalize(struct text text, struct buf *digits) {
  long exponent = 0, point = -1, first = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.bytes[i];
    if (c == 'e' || c == 'E') {
      exponent = read_exponent(text.bytes + i + 1, text.bytes + text.length);
      break;
    }
    if (c == '.') point = first;
    if (c < '0' || c > '9') continue;
    buf_put(digits, &c, 1);
    first++;
  }
  if (point < 0) point = first;
  size_t zeros = 0;
  while (zeros < digits->len && digits->data[zeros] == '0') zeros++;
  if (zeros > 0) memmove(digits->data, digits->data + zeros, digits->len - zeros);
  digits->len -= zeros;
  while (digits->len > 0 && digits->data[digits->len - 1] == '0') digits->len--;
  return digits->len ? exponent + point - (long)zeros : 0;
}

static bool is_same_number(struct text a, struct text b) {
  struct buf left = {0}, right = {0};
  bool negative_a = a.length > 0 && a.bytes[0] == '-', negative_b = b.bytes[0] == '-';
  bool same = normalize(a, &left) == normalize(b, &right) && left.len == right.len;
  if (same && left.len) same = memcmp(left.data, right.data, left.len) == 0 && negative_a == negative_b;
  buf_free(&left);
  buf_free(&right);
  return same;
}

bool pg_value_is_exact(struct text numeric, double *number) {
  struct buf written = {0};
  int64_t integer;
  if (read_special(numeric, number)) return true;
  enum json_number kind = json_number_read(numeric.bytes, numeric.length, number, &integer);
  if (kind == JSON_INT64) *number = (double)integer;
  if (kind != JSON_INT64 && kind != JSON_DOUBLE) return false;
  json_number_write(&written, *number);
  buf_put_u8(&written, '\0');
  bool exact = is_same_number(numeric, (struct text){.bytes = written.data, .length = written.len - 1});
  buf_free(&written);
  return exact;
}

static void push_numeric(lua_State *L, struct text text) {
  double number;
  if (pg_value_is_exact(text, &number))
    lua_pushnumber(L, number);
  else
    lua_pushlstring(L, text.bytes, text.length);
}

static int hex_digit(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

/* Both forms of output: \x with hexadecimal digits, and escapes. The result is shorter than the text. */
static void push_bytea(lua_State *L, struct text text) {
  char *bytes = lua_newuserdata(L, text.length + 1);
  size_t length = 0;
  bool hex = text.length >= 2 && text.bytes[0] == '\\' && text.bytes[1] == 'x';
  for (size_t i = hex ? 2 : 0; i < text.length;) {
    const char *at = text.bytes + i;
    size_t left = text.length - i;
    if (hex && left >= 2) {
      bytes[length++] = (char)(hex_digit(at[0]) * 16 + hex_digit(at[1]));
      i += 2;
    } else if (at[0] == '\\' && left >= 4 && at[1] != '\\') {
      bytes[length++] = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
      i += 4;
    } else {
      bytes[length++] = at[0];
      i += at[0] == '\\' && left >= 2 ? 2 : 1;
    }
  }
  lua_pushlstring(L, bytes, length);  // [userdata, string]
  lua_remove(L, -2);
}

static bool push_scalar(const struct reader *reader, struct text text) {
  lua_State *L = reader->L;
  switch (reader->kind) {
    case KIND_TEXT:
      lua_pushlstring(L, text.bytes, text.length);
      return true;
    case KIND_BOOL:
      lua_pushboolean(L, is(text, "t"));
      return true;
    case KIND_INTEGER:
      push_integer(reader, text);
      return true;
    case KIND_FLOAT:
      push_float(reader, text);
      return true;
    case KIND_NUMERIC:
      push_numeric(L, text);
      return true;
    case KIND_BYTEA:
      push_bytea(L, text);
      return true;
    case KIND_JSON:
      return json_decode(L, reader->json, text.bytes, text.length, reader->name);
  }
  return false;
}

/* ---- arrays ---- */

/* Takes one element's text into reader->element; *quoted tells NULL from "NULL". */
static void read_element(struct reader *reader, bool *quoted) {
  buf_clear(&reader->element);
  *quoted = reader->at < reader->end && *reader->at == '"';
  if (*quoted) reader->at++;
  while (reader->at < reader->end) {
    char c = *reader->at;
    if (*quoted ? c == '"' : c == ',' || c == '}') break;
    if (c == '\\' && reader->at + 1 < reader->end) c = *++reader->at;
    buf_put(&reader->element, &c, 1);
    reader->at++;
  }
  if (*quoted) reader->at++;
}

static bool push_element(struct reader *reader) {
  bool quoted;
  read_element(reader, &quoted);
  struct text text = {.bytes = reader->element.len ? reader->element.data : "", .length = reader->element.len};
  if (quoted || text.length != 4 || strncasecmp(text.bytes, "null", 4) != 0) return push_scalar(reader, text);
  lua_pushlightuserdata(reader->L, NULL);
  return true;
}

/* From an opening brace to behind its closing one. [] -> [array] or [message] */
static bool push_dimension(struct reader *reader, int depth) {
  lua_State *L = reader->L;
  luaL_checkstack(L, 6, "array");
  lua_newtable(L);
  reader->at++;
  for (int i = 1; reader->at < reader->end && *reader->at != '}'; i++) {
    bool inner = *reader->at == '{' && depth < DIMENSIONS_MAX;
    if (!(inner ? push_dimension(reader, depth + 1) : push_element(reader))) {
      lua_remove(L, -2);
      return false;
    }
    lua_rawseti(L, -2, i);
    if (reader->at < reader->end && *reader->at == ',') reader->at++;
  }
  reader->at++;
  lua_rawgeti(L, LUA_REGISTRYINDEX, reader->json->array_mt);
  lua_setmetatable(L, -2);
  return true;
}

/* Bounds that do not begin at 1 come first, as in [0:2]={...}. */
static bool push_array(struct reader *reader, struct text text) {
  const char *open = memchr(text.bytes, '{', text.length);
  reader->end = text.bytes + text.length;
  reader->at = open ? open : reader->end;
  bool good = push_dimension(reader, 1);
  buf_free(&reader->element);
  return good;
}

bool pg_value_push(lua_State *L, const struct json *json, uint32_t type, struct text text, const char *name) {
  struct reader reader = {.L = L, .json = json, .name = name, .kind = KIND_TEXT};
  luaL_checkstack(L, 8, "value");
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (types[i].type != type && types[i].array != type) continue;
    reader.kind = types[i].kind;
    if (types[i].array == type) return push_array(&reader, text);
    break;
  }
  return push_scalar(&reader, text);
}
