/* What the server's codes mean: each predicate is given every code that luaflow knows. */
#include "base/sqlstate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const codes[] = {"",      "08001", "08006", "08P01", "0A000", "22023", "23505", "25001", "25006",
                                    "25P02", "26000", "28P01", "2D000", "3D000", "3F000", "40001", "40P01", "42501",
                                    "42601", "42710", "42703", "42883", "42P01", "42P05", "42P06", "53300", "54000",
                                    "55000", "55P03", "57014", "57P01", "58030", "LF001", "LF002", "LF003"};

/* The codes that it is true for, a blank between two. */
static void expect(bool (*predicate)(const char *sqlstate), const char *expected) {
  char found[512] = "";
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    if (!predicate(codes[i])) continue;
    if (*found) strcat(found, " ");
    strcat(found, codes[i]);
  }
  assert_string_equal(found, expected);
}

static void knows_what_codes_mean(void **state) {
  (void)state;
  expect(sqlstate_lacks_object, "3F000 42703 42883 42P01");
  expect(sqlstate_lacks_schema, "3F000");
  expect(sqlstate_lacks_right, "42501");
  expect(sqlstate_is_duplicate, "23505 42710 42P06");
  expect(sqlstate_is_of_state, "55000");
  expect(sqlstate_is_locked_out, "55P03");
  expect(sqlstate_is_aborted, "25P02");
  expect(sqlstate_is_read_only, "25006");
  expect(sqlstate_is_of_pooler, "26000 42P05");
  expect(sqlstate_is_conflict, "40001 40P01");
  expect(sqlstate_is_of_connection, "08001 08006");
  expect(sqlstate_refuses_for_good, "28P01 3D000 42501 42601 42710 42703 42883 42P01 42P05 42P06");
  expect(sqlstate_ends_connection, "08001 08006 08P01 57P01");
  expect(sqlstate_is_of_data, "22023 23505 54000");
  expect(sqlstate_is_stale_claim, "LF001");
  expect(sqlstate_ends_run, "LF003");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(knows_what_codes_mean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
