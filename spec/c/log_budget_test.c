/* The budget of log lines: a megabyte at once, then what time gives back, in whole pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/pool/log_budget.h"

/* How many lines of so many bytes pass one after the other. */
static int pass(struct log_budget *budget, uint64_t now_ms, size_t bytes) {
  int count = 0;
  while (log_budget_take(budget, now_ms, bytes)) count++;
  return count;
}

static void drops_above_the_limit_and_counts(void **state) {
  struct log_budget budget = {0};
  (void)state;
  assert_int_equal(pass(&budget, 1000, 1024), 1024);
  for (int i = 0; i < 9; i++) assert_false(log_budget_take(&budget, 1000, 1));
  assert_int_equal(budget.dropped_lines, 10);
  assert_int_equal(budget.dropped_bytes, 1024 + 9);
}

static void opens_again_when_half_was_given_back(void **state) {
  struct log_budget budget = {0};
  (void)state;
  pass(&budget, 1000, 1024);
  assert_false(log_budget_take(&budget, 1000 + 7900, 1));
  assert_int_equal(pass(&budget, 1000 + 8100, 1024), 518);
  assert_int_equal(pass(&budget, UINT64_C(1) << 50, 1024), 1024);
}

static void never_drops_who_writes_slowly(void **state) {
  struct log_budget budget = {0};
  (void)state;
  for (uint64_t ms = 0; ms < 1000000; ms++) assert_true(log_budget_take(&budget, ms, 65));
}

static void drops_a_line_that_never_fits(void **state) {
  struct log_budget budget = {0};
  (void)state;
  assert_false(log_budget_take(&budget, 1, LOG_BUDGET_BYTES + 1));
  assert_false(log_budget_take(&budget, 1, SIZE_MAX / 4));
  assert_true(log_budget_take(&budget, 1, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(drops_above_the_limit_and_counts),
      cmocka_unit_test(opens_again_when_half_was_given_back),
      cmocka_unit_test(never_drops_who_writes_slowly),
      cmocka_unit_test(drops_a_line_that_never_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
