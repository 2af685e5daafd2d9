/* Values of Postgres to Lua: which numerics are numbers, and texts of types that have to be read. */
#include "executor/bind/pg_value.h"

#include <lauxlib.h>
#include <locale.h>
#include <lualib.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above before it */
#include <cmocka.h>

static struct text of(const char *text) { return (struct text){.bytes = text, .length = strlen(text)}; }

static void expect_exact(const char *text, double expected) {
  double number = -1;
  assert_true(pg_value_is_exact(of(text), &number));
  assert_true(number == expected);
}

static void expect_inexact(const char *text) {
  double number;
  assert_false(pg_value_is_exact(of(text), &number));
}

static void numerics_that_are_numbers(void **state) {
  double number;
  (void)state;
  expect_exact("0", 0);
  expect_exact("0.000", 0);
  expect_exact("-0.0", 0);
  expect_exact("1.50", 1.5);
  expect_exact("-1.5", -1.5);
  expect_exact("0.1", 0.1);
  expect_exact("100", 100);
  expect_exact("0.00000012", 1.2e-7);
  expect_exact("123456789012345", 123456789012345);
  expect_exact("9007199254740992", 9007199254740992.0);
  expect_exact("1000000000000000000000000000000", 1e30);
  expect_exact("Infinity", HUGE_VAL);
  assert_true(pg_value_is_exact(of("NaN"), &number) && isnan(number));
}

/* A handler may call os.setlocale. */
static void numerics_in_a_locale_with_a_comma(void **state) {
  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
  double number = 0;
  bool exact = pg_value_is_exact(of("1.50"), &number);
  setlocale(LC_NUMERIC, "C");
  assert_true(exact && number == 1.5);
}

static void numerics_that_are_not(void **state) {
  (void)state;
  expect_inexact("9007199254740993");
  expect_inexact("-9007199254740993");
  expect_inexact("0.12345678901234567890");
  expect_inexact("1.00000000000000000001");
  expect_inexact("12345678901234567890");
}

static void numerics_beyond_a_double(void **state) {
  char digits[420] = "1";
  (void)state;
  memset(digits + 1, '0', 400);
  expect_inexact(digits);
}

/* A state with the tables that the codec's references point to. */
static int set_up(void **state) {
  static struct json json;
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_newtable(L);
  json.array_mt = luaL_ref(L, LUA_REGISTRYINDEX);
  assert_int_equal(luaL_dostring(L, "return require('ffi').typeof('int64_t')"), 0);
  json.int64 = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pushlightuserdata(L, &json);
  lua_setglobal(L, "json");
  *state = L;
  return 0;
}

static int tear_down(void **state) {
  lua_close(*state);
  return 0;
}

/* The value as Lua writes it: tables as {a|b}, null as null. */
static const char show[] =
    "local function show(v)\n"
    "  if type(v) == 'userdata' then return 'null' end\n"
    "  if type(v) ~= 'table' then return type(v):sub(1, 1) .. ':' .. tostring(v) end\n"
    "  local parts = {}\n"
    "  for i = 1, #v do parts[i] = show(v[i]) end\n"
    "  return '{' .. table.concat(parts, '|') .. '}'\n"
    "end\n"
    "return show(...)";

static void expect_lua(lua_State *L, uint32_t type, const char *text, const char *expected) {
  lua_getglobal(L, "json");
  const struct json *json = lua_touserdata(L, -1);
  assert_int_equal(luaL_loadstring(L, show), 0);
  assert_true(pg_value_push(L, json, type, of(text), "column a"));
  lua_call(L, 1, 1);
  assert_string_equal(lua_tostring(L, -1), expected);
  lua_settop(L, 0);
}

static void scalars(void **state) {
  lua_State *L = *state;
  expect_lua(L, 16, "t", "b:true");
  expect_lua(L, 16, "f", "b:false");
  expect_lua(L, 20, "9007199254740993", "c:9007199254740993LL");
  expect_lua(L, 20, "5", "n:5");
  expect_lua(L, 701, "-Infinity", "n:-inf");
  expect_lua(L, 701, "1e+16", "n:1e+16");
  expect_lua(L, 1700, "1.50", "n:1.5");
  expect_lua(L, 1700, "9007199254740993", "s:9007199254740993");
  expect_lua(L, 17, "\\x6162", "s:ab");
  expect_lua(L, 17, "\\x", "s:");
  expect_lua(L, 17, "a\\\\b\\101", "s:a\\bA");
  expect_lua(L, 25, "{1,2}", "s:{1,2}");
  expect_lua(L, 99999, "(1,2)", "s:(1,2)");
}

static void arrays(void **state) {
  lua_State *L = *state;
  expect_lua(L, 1007, "{}", "{}");
  expect_lua(L, 1007, "{1,NULL,-3}", "{n:1|null|n:-3}");
  expect_lua(L, 1007, "{{1,2},{3,4}}", "{{n:1|n:2}|{n:3|n:4}}");
  expect_lua(L, 1007, "[0:1]={7,8}", "{n:7|n:8}");
  expect_lua(L, 1007, "[1:1][-1:0]={{7,8}}", "{{n:7|n:8}}");
  expect_lua(L, 1009, "{a,\"b,c\",\"d\\\"e\",\"f\\\\\",\"NULL\",NULL,\"\",\"{}\"}",
             "{s:a|s:b,c|s:d\"e|s:f\\|s:NULL|null|s:|s:{}}");
  expect_lua(L, 1001, "{\"\\\\x6162\",NULL}", "{s:ab|null}");
}

/* What no server writes must not make it read beyond the end. */
static void broken_arrays(void **state) {
  static const char *const texts[] = {"", "{", "{1", "{\"", "{\"a\\", "{{{{{{{{{{", "{1,", "x", "{}}", "{,}"};
  lua_State *L = *state;
  lua_getglobal(L, "json");
  const struct json *json = lua_touserdata(L, -1);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char *copy = strdup(texts[i]); /* for the sanitizer */
    pg_value_push(L, json, 1009, (struct text){.bytes = copy, .length = strlen(copy)}, "column a");
    free(copy);
    lua_settop(L, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numerics_that_are_numbers),
      cmocka_unit_test(numerics_in_a_locale_with_a_comma),
      cmocka_unit_test(numerics_that_are_not),
      cmocka_unit_test(numerics_beyond_a_double),
      cmocka_unit_test_setup_teardown(scalars, set_up, tear_down),
      cmocka_unit_test_setup_teardown(arrays, set_up, tear_down),
      cmocka_unit_test_setup_teardown(broken_arrays, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
