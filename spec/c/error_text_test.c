/* Stored errors as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/error_text.h"

static void assert_reads(const char *stored, const char *read) {
  char *text = error_text(stored);
  assert_string_equal(text, read);
  free(text);
}

static void test_error_tables(void **state) {
  (void)state;
  assert_reads("{\"kind\":\"timeout\",\"message\":\"f.lua:3: \\\"slow\\\"\",\"url\":\"http://a/\"}",
               "f.lua:3: \"slow\"");
  assert_reads("{\"message\":\"m\",\"kind\":\"database\"}", "m");
}

static void test_other_texts(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      "f.lua:3: boom",
      "{",
      "{}",
      "[1]",
      "{\"message\":\"m\"}",
      "{\"kind\":1,\"message\":\"m\"}",
      "{\"kind\":\"timeout\",\"message\":[]}",
      "{\"kind\":\"timeout\",\"message\":\"cut of",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_reads(texts[i], texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_tables),
      cmocka_unit_test(test_other_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
