/* Values of Postgres: whatever text a server sends for a type becomes one value, or a message that names the column. */
#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <string.h>

#include "executor/bind/pg_value.h"
#include "executor/json/json_number.h"
#include "fuzz.h"

/* The first byte of an input chooses the type. */
static const uint32_t types[] = {16,   17,   20,   21,   23,   25,   26,   114,  199,  700,  701,  1000, 1001, 1005,
                                 1007, 1009, 1016, 1021, 1022, 1182, 1231, 1700, 2950, 2951, 3802, 3807, 99999};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const struct fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\0t"),
    FUZZ_SEED("\1\\x6162"),
    FUZZ_SEED("\1a\\\\b\\101"),
    FUZZ_SEED("\2"
              "9007199254740993"),
    FUZZ_SEED("\7{\"a\":[1,null]}"),
    FUZZ_SEED("\x0a-Infinity"),
    FUZZ_SEED("\x0e{1,NULL,-3}"),
    FUZZ_SEED("\x0e[1:1][-1:0]={{7,8}}"),
    FUZZ_SEED("\x0f{a,\"b,c\",\"d\\\"e\",\"f\\\\\",\"NULL\",NULL,\"\",\"{}\"}"),
    FUZZ_SEED("\x0c{\"\\\\x6162\",NULL}"),
    FUZZ_SEED("\x14{1.50,9007199254740993,NaN}"),
    FUZZ_SEED("\x15"
              "123456789012345.000"),
    FUZZ_SEED("\x19{\"{\\\"a\\\":1}\",\"[]\"}"),
    FUZZ_SEED("\x15"
              "1.5e"),
    FUZZ_SEED("\x15"
              "nan."),
    FUZZ_SEED("\x15"),
    FUZZ_SEED("\x09"),
    FUZZ_SEED("\1\\x6"),
    FUZZ_SEED("\1\\1"),
    {NULL, 0},
};

const struct fuzz_seed fuzz_words[] = {
    FUZZ_SEED("{"),    FUZZ_SEED("}"),        FUZZ_SEED("{{"),      FUZZ_SEED("}}"),
    FUZZ_SEED(","),    FUZZ_SEED("\""),       FUZZ_SEED("\\"),      FUZZ_SEED("NULL"),
    FUZZ_SEED("NaN"),  FUZZ_SEED("\\x"),      FUZZ_SEED("[0:1]="),  FUZZ_SEED("e400"),
    FUZZ_SEED("-"),    FUZZ_SEED("00000000"), FUZZ_SEED("{{{{{{{"), FUZZ_SEED("Infinity"),
    FUZZ_SEED("\377"), FUZZ_SEED("."),        FUZZ_SEED("\\777"),   FUZZ_SEED("1,2"),
    {NULL, 0},
};

struct attempt {
  uint32_t type;
  struct text text;
  bool pushed;
};

static lua_State *L;
static struct json json;

static void open_state(void) {
  L = luaL_newstate();
  luaL_openlibs(L);
  FUZZ_CHECK(luaL_dostring(L, "return {array_mt = {}, object_mt = {}}, require 'ffi'") == 0);
  json_init(L, &json);
  lua_settop(L, 0);
}

static int push(lua_State *state) {
  struct attempt *self = lua_touserdata(state, 1);
  self->pushed = pg_value_push(state, &json, self->type, self->text, "column a");
  FUZZ_CHECK(lua_gettop(state) == 2);
  if (!self->pushed) FUZZ_CHECK(strncmp(lua_tostring(state, 2), "column a", strlen("column a")) == 0);
  return 0;
}

/* A numeric that is a number is so as that number's own text as well. */
static void check_exact(struct text text) {
  double number = 0, again = 0;
  struct buf out = {0};
  if (!pg_value_is_exact(text, &number) || !isfinite(number)) return;
  json_number_write(&out, number);
  FUZZ_CHECK(!isfinite(number) || json_number_read(out.data, out.len, &again, &(int64_t){0}) != JSON_OUTSIDE_DOUBLE);
  buf_free(&out);
}

bool fuzz_one(const uint8_t *bytes, size_t length) {
  if (!L) open_state();
  if (length == 0) return false;
  struct attempt self = {
      .type = types[bytes[0] % TYPE_COUNT],
      .text = {.bytes = (const char *)bytes + 1, .length = length - 1},
  };
  FUZZ_CHECK(lua_cpcall(L, push, &self) == 0);
  check_exact(self.text);
  return self.pushed;
}
