/* Numbers between JSON text and C: what is read as what, and that everything written reads back the same. */
#include "executor/json/json_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the four above before it */
#include <cmocka.h>

static enum json_number read(const char *text, double *number, int64_t *integer) {
  return json_number_read(text, strlen(text), number, integer);
}

static void expect_double(const char *text, double expected) {
  double number = 0;
  int64_t integer = 0;
  assert_int_equal(read(text, &number, &integer), JSON_DOUBLE);
  assert_memory_equal(&number, &expected, sizeof number);
}

static void expect_int64(const char *text, int64_t expected) {
  double number = 0;
  int64_t integer = 0;
  assert_int_equal(read(text, &number, &integer), JSON_INT64);
  assert_true(integer == expected);
}

static void expect_kind(const char *text, enum json_number expected) {
  double number = 0;
  int64_t integer = 0;
  assert_int_equal(read(text, &number, &integer), expected);
}

static void expect_written(double number, const char *expected) {
  struct buf out = {0};
  json_number_write(&out, number);
  assert_int_equal(out.len, strlen(expected));
  assert_memory_equal(out.data, expected, out.len);
  buf_free(&out);
}

static void reads_doubles(void **state) {
  (void)state;
  expect_double("0", 0);
  expect_double("-0", -0.0);
  expect_double("-0.0", -0.0);
  expect_double("-12", -12);
  expect_double("0.1", 0.1);
  expect_double("1.5e3", 1500);
  expect_double("15E-1", 1.5);
  expect_double("9007199254740992", 9007199254740992.0);
  expect_double("-9007199254740992", -9007199254740992.0);
  expect_double("5e-324", 5e-324);
  expect_double("1e-400", 0);
  expect_double("0.1000000000000000055511151231257827021181583404541015625", 0.1);
}

static void reads_integers_exactly(void **state) {
  (void)state;
  expect_int64("9007199254740993", 9007199254740993);
  expect_int64("-9007199254740993", -9007199254740993);
  expect_int64("9223372036854775807", INT64_MAX);
  expect_int64("-9223372036854775808", INT64_MIN);
}

static void tells_what_is_outside(void **state) {
  char digits[502];
  (void)state;
  expect_kind("9223372036854775808", JSON_OUTSIDE_INT64);
  expect_kind("-9223372036854775809", JSON_OUTSIDE_INT64);
  expect_kind("100000000000000000001", JSON_OUTSIDE_INT64);
  expect_kind("1e309", JSON_OUTSIDE_DOUBLE);
  expect_kind("-1.8e308", JSON_OUTSIDE_DOUBLE);
  expect_kind("1e99999999999999999999", JSON_OUTSIDE_DOUBLE);
  memset(digits, '0', sizeof digits);
  digits[0] = '1';
  digits[309] = '\0';
  expect_double(digits, 1e308);
  digits[309] = '0';
  digits[sizeof digits - 1] = '\0';
  expect_kind(digits, JSON_OUTSIDE_DOUBLE);
}

static void reads_without_a_terminator(void **state) {
  double number = 0;
  int64_t integer = 0;
  char text[4] = {'1', '.', '5', '7'};
  (void)state;
  assert_int_equal(json_number_read(text, 3, &number, &integer), JSON_DOUBLE);
  assert_true(number == 1.5);
}

static void writes_the_shortest(void **state) {
  (void)state;
  expect_written(0, "0");
  expect_written(-0.0, "-0");
  expect_written(-17, "-17");
  expect_written(0.1, "0.1");
  expect_written(0.1 + 0.2, "0.30000000000000004");
  expect_written(1e15, "1000000000000000");
  expect_written(1e20, "100000000000000000000");
  expect_written(1e21, "1e21");
  expect_written(1.5e300, "1.5e300");
  expect_written(1e-7, "0.0000001");
  expect_written(1.25e-8, "1.25e-8");
  expect_written(5e-324, "5e-324");
  expect_written(1.7976931348623157e308, "1.7976931348623157e308");
  expect_written(123456.789, "123456.789");
}

/* Bit patterns from a linear congruential generator: numbers of all sizes, subnormal ones too. */
static void writes_what_reads_back(void **state) {
  uint64_t bits = 1;
  (void)state;
  for (int i = 0; i < 20000; i++) {
    double number, back = 0;
    int64_t integer = 0;
    struct buf out = {0};
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    uint64_t pattern = i % 10 ? bits : bits & 0x800fffffffffffffu;
    memcpy(&number, &pattern, sizeof number);
    if (!isfinite(number)) continue;
    json_number_write(&out, number);
    enum json_number kind = json_number_read(out.data, out.len, &back, &integer);
    if (kind == JSON_INT64) back = (double)integer;
    assert_true(kind == JSON_DOUBLE || kind == JSON_INT64);
    assert_memory_equal(&back, &number, sizeof back);
    buf_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_doubles),         cmocka_unit_test(reads_integers_exactly),
      cmocka_unit_test(tells_what_is_outside), cmocka_unit_test(reads_without_a_terminator),
      cmocka_unit_test(writes_the_shortest),   cmocka_unit_test(writes_what_reads_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
