/* What a mistyped word most likely meant; the cases of spec/unit/luaflow/nearest_spec.lua. */
#include "base/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NEAREST(word, ...) \
  nearest(word, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define OPTIONS "max_attempts", "base_delay", "timeout", "slug"
#define COMMANDS "runs", "run", NULL, "retry", "rollout"

static void finds_misspellings(void **state) {
  (void)state;
  assert_string_equal(NEAREST("max_attempt", OPTIONS), "max_attempts");
  assert_string_equal(NEAREST("maxAttempts", OPTIONS), "max_attempts");
  assert_string_equal(NEAREST("tiemout", OPTIONS), "timeout");
  assert_string_equal(NEAREST("slgu", OPTIONS), "slug");
}

static void prefers_a_word_as_long(void **state) {
  (void)state;
  assert_string_equal(NEAREST("rnu", COMMANDS), "run");
  assert_string_equal(NEAREST("rusn", COMMANDS), "runs");
  assert_string_equal(NEAREST("RUM", COMMANDS), "run");
  assert_string_equal(NEAREST("rn", COMMANDS), "run");
  assert_string_equal(NEAREST("abc", "abcd", "ab", "abd"), "abd");
  assert_string_equal(NEAREST("abc", "abcd", "ab"), "ab");
}

static void finds_nothing_for_other_words(void **state) {
  char long_word[1001];
  (void)state;
  for (size_t i = 0; i < sizeof long_word; i++) long_word[i] = i + 1 < sizeof long_word ? 'x' : '\0';
  assert_null(NEAREST("colour", OPTIONS));
  assert_null(NEAREST("x", "y"));
  assert_null(NEAREST("foo", "log"));
  assert_null(NEAREST("", COMMANDS));
  assert_null(NEAREST(long_word, OPTIONS));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_misspellings), cmocka_unit_test(prefers_a_word_as_long),
                                     cmocka_unit_test(finds_nothing_for_other_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
