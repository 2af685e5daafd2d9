/* The limits of units: each kind's grows by what is not answered, and shrinks by its own success alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pg/pg_patience.h"

enum { CLAIM, RECONCILE, KINDS };

static void grows_whatever_else_succeeds(void **state) {
  struct pg_patience *patience = pg_patience_new(15000, KINDS);
  (void)state;
  for (int i = 0; i < 10; i++) {
    assert_int_equal(pg_patience_ms(patience, CLAIM), UINT64_C(15000) << (i < 6 ? i : 6));
    pg_patience_passed(patience, CLAIM);
    pg_patience_answered(patience, RECONCILE, 5);
    assert_int_equal(pg_patience_ms(patience, RECONCILE), 15000);
  }
  pg_patience_answered(patience, CLAIM, 20);
  assert_int_equal(pg_patience_ms(patience, CLAIM), 15000);
  pg_patience_free(patience);
}

static void stays_above_what_was_needed(void **state) {
  static const struct {
    uint64_t took_ms, limit_ms;
  } cases[] = {{0, 15000}, {10000, 15000}, {10001, 30000}, {16000, 30000}, {70000, 120000}, {5000000, 960000}};
  struct pg_patience *patience = pg_patience_new(15000, KINDS);
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pg_patience_answered(patience, CLAIM, cases[i].took_ms);
    assert_int_equal(pg_patience_ms(patience, CLAIM), cases[i].limit_ms);
  }
  pg_patience_free(patience);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grows_whatever_else_succeeds),
      cmocka_unit_test(stays_above_what_was_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
