/* The JSON codec: what is decoded can be encoded, and comes back as the same value. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "executor/json/json.h"
#include "fuzz.h"

const struct fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("null"),
    FUZZ_SEED("[false,0,\"\",-1.5e-3,[],{}]"),
    FUZZ_SEED("{\"a\":1,\"b\":{\"c\":[1,2,{\"d\":\"e\"}]}}"),
    FUZZ_SEED("{\"1\":\"a\",\"2\":\"b\",\"\":null}"),
    FUZZ_SEED("[9007199254740993,-9223372036854775808,9223372036854775807,18446744073709551616]"),
    FUZZ_SEED("[1e308,5e-324,0.1000000000000000055511151231257827,1e400,-0.0,1E+2]"),
    FUZZ_SEED("\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\\ud83d\\ude00\\u00e9\\/\""),
    FUZZ_SEED("\"\303\251 \342\202\254 \360\237\230\200\""),
    FUZZ_SEED(" { \"b\" : 1 , \"a\" : [ 1 , 2 ] , \"a\" : 3 } "),
    FUZZ_SEED("{\"\355\240\200\":[\"\300\200\"]}"),
    FUZZ_SEED("\"\\udc00\""),
    {NULL, 0},
};

const struct fuzz_seed fuzz_words[] = {
    FUZZ_SEED("["),
    FUZZ_SEED("]"),
    FUZZ_SEED("{\"a\":"),
    FUZZ_SEED("}"),
    FUZZ_SEED(","),
    FUZZ_SEED("\""),
    FUZZ_SEED("\\u"),
    FUZZ_SEED("\\ud800"),
    FUZZ_SEED("\\u0000"),
    FUZZ_SEED("\377"),
    FUZZ_SEED("\355\240\200"),
    FUZZ_SEED("\000"),
    FUZZ_SEED("1e999"),
    FUZZ_SEED("-"),
    FUZZ_SEED("0."),
    FUZZ_SEED("9007199254740993"),
    FUZZ_SEED("true"),
    FUZZ_SEED("[[[[[[[["),
    FUZZ_SEED("null,"),
    FUZZ_SEED("00000000000000000000"),
    {NULL, 0},
};

struct attempt {
  const struct json *json;
  const char *text;
  size_t length;
  bool decoded;
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

static void decode(const char *text, size_t length) { FUZZ_CHECK(json_decode(L, &json, text, length, "input")); }

/* False where the value is none of jsonb's: U+0000 comes with json alone. */
static bool encode(void) {
  const struct json_options options = {.root = "output", .limit = (size_t)1 << 24};
  bool good = json_encode(L, &json, -1, &options);
  FUZZ_CHECK(lua_type(L, -1) == LUA_TSTRING);
  FUZZ_CHECK(good || strstr(lua_tostring(L, -1), ": string with U+0000"));
  return good;
}

/* Both raise only when memory or stack run out. */
static int attempt(lua_State *state) {
  struct attempt *self = lua_touserdata(state, 1);
  size_t length, again_length;
  self->decoded = json_decode(L, &json, self->text, self->length, "input");
  FUZZ_CHECK(lua_gettop(L) == 2);
  if (!self->decoded) {
    FUZZ_CHECK(strncmp(lua_tostring(L, -1), "input", strlen("input")) == 0);
    return 0;
  }
  if (!encode()) return 0;
  const char *text = lua_tolstring(L, -1, &length);
  decode(text, length);
  FUZZ_CHECK(encode());
  const char *again = lua_tolstring(L, -1, &again_length);
  FUZZ_CHECK(length == again_length && memcmp(text, again, length) == 0);
  return 0;
}

bool fuzz_one(const uint8_t *bytes, size_t length) {
  struct attempt self = {.text = (const char *)bytes, .length = length};
  if (!L) open_state();
  lua_settop(L, 0);
  FUZZ_CHECK(lua_cpcall(L, attempt, &self) == 0);
  return self.decoded;
}
