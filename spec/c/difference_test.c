/* Differences of a refused deployment in authors' words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/control/difference.h"

static void check(const char *line, const char *expected) {
  struct buf out = {0};
  difference_put(&out, line);
  buf_put_u8(&out, 0);
  assert_string_equal(out.data, expected);
  buf_free(&out);
}

static void names_both_sides(void **state) {
  (void)state;
  check("Step count differs: 3 vs 2\nmore", "Step count: in the modules 3, in the database 2");
  check("Step at index 1: slug differs 'a' vs 'b'", "Step at index 1: slug: in the modules 'a', in the database 'b'");
  check("Step at index 1: dependencies differ [a, b] vs []",
        "Step at index 1: depends_on: in the modules [a, b], in the database []");
  check("Step total: queue differs 'a' vs 'b'", "Step total: queue: in the modules 'a', in the database 'b'");
  check("Step at index 0: missing in first shape (second has 'a')",
        "Step at index 0: missing in the modules (the database has 'a')");
  check("Step at index 0: missing in second shape (first has 'a')",
        "Step at index 0: missing in the database (the modules have 'a')");
}

static void uses_the_words_of_authors(void **state) {
  (void)state;
  check("Step at index 0: type differs 'map' vs 'single'",
        "Step at index 0: kind: in the modules 'map', in the database 'single'");
  check("Step at index 0: requiredInputPattern differs '{\"a\": \"x vs y\"}' vs ''",
        "Step at index 0: only_if: in the modules '{\"a\": \"x vs y\"}', in the database none");
  check("Step at index 0: forbiddenInputPattern differs '' vs '{}'",
        "Step at index 0: unless: in the modules none, in the database '{}'");
  check("Step at index 0: whenUnmet differs 'skip' vs 'fail'",
        "Step at index 0: when_unmet: in the modules 'skip', in the database 'fail'");
  check("Step at index 0: whenExhausted differs 'skip' vs 'fail'",
        "Step at index 0: when_exhausted: in the modules 'skip', in the database 'fail'");
}

static void leaves_other_lines_alone(void **state) {
  (void)state;
  check("queue 'a' exists already", "queue 'a' exists already");
  check("", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_both_sides),
      cmocka_unit_test(uses_the_words_of_authors),
      cmocka_unit_test(leaves_other_lines_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
