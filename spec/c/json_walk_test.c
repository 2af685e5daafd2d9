/* The paths in the codec's messages. */
#include "executor/json/json_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the three above before it */
#include <cmocka.h>

static void expect_path(const struct json_walk *walk, const char *expected) {
  struct buf out = {0};
  json_walk_path(walk, &out);
  assert_int_equal(out.len, strlen(expected));
  assert_memory_equal(out.data, expected, out.len);
  buf_free(&out);
}

static void enter_key(struct json_walk *walk, const char *key) {
  assert_true(json_walk_open(walk, key, false));
  json_walk_top(walk)->key = key;
  json_walk_top(walk)->key_length = strlen(key);
}

static void enter_index(struct json_walk *walk, int index) {
  assert_true(json_walk_open(walk, NULL, true));
  json_walk_top(walk)->index = index;
}

static void spells_names_and_indexes(void **state) {
  struct json_walk walk = {.root = "output"};
  (void)state;
  expect_path(&walk, "output");
  enter_key(&walk, "items");
  enter_index(&walk, 3);
  enter_key(&walk, "when");
  expect_path(&walk, "output.items[3].when");
  json_walk_close(&walk);
  expect_path(&walk, "output.items[3]");
  assert_true(json_walk_open(&walk, NULL, true));
  expect_path(&walk, "output.items[3]");
  json_walk_free(&walk);
}

static void quotes_other_keys(void **state) {
  struct json_walk walk = {.root = "input"};
  (void)state;
  enter_key(&walk, "a b");
  enter_key(&walk, "");
  enter_key(&walk, "9\"\\\n\xFF");
  expect_path(&walk, "input[\"a b\"][\"\"][\"9\\\"\\\\\\u000a\xEF\xBF\xBD\"]");
  json_walk_free(&walk);
}

static void cuts_long_keys(void **state) {
  struct json_walk walk = {.root = "input"};
  struct buf out = {0};
  char key[1000];
  (void)state;
  memset(key, 'k', sizeof key - 1);
  key[sizeof key - 1] = '\0';
  enter_key(&walk, key);
  json_walk_path(&walk, &out);
  assert_true(out.len < 120);
  buf_free(&out);
  json_walk_free(&walk);
}

static void shortens_deep_paths_and_ends_at_512(void **state) {
  struct json_walk walk = {.root = "x"};
  (void)state;
  for (int i = 1; i <= 512; i++) enter_index(&walk, i);
  assert_false(json_walk_open(&walk, NULL, true));
  expect_path(&walk, "x[1][2][3][4][5][6][7][8]...[509][510][511][512]");
  json_walk_free(&walk);
}

static void finds_cycles(void **state) {
  struct json_walk walk = {.root = "x"};
  static const int outer, inner;
  (void)state;
  assert_true(json_walk_open(&walk, &outer, true));
  assert_true(json_walk_open(&walk, &inner, true));
  assert_true(json_walk_holds(&walk, &outer));
  json_walk_close(&walk);
  assert_false(json_walk_holds(&walk, &inner));
  json_walk_free(&walk);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spells_names_and_indexes),
      cmocka_unit_test(quotes_other_keys),
      cmocka_unit_test(cuts_long_keys),
      cmocka_unit_test(shortens_deep_paths_and_ends_at_512),
      cmocka_unit_test(finds_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
