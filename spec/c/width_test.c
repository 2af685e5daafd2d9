/* Columns of characters that are wide, combine, or steer a terminal; and lines that are cut by them. */
#include "base/width.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/view/line.h"

static void counts_columns(void **state) {
  (void)state;
  assert_int_equal(width_of(""), 0);
  assert_int_equal(width_of("abc"), 3);
  assert_int_equal(width_of("Grüße"), 5);
  assert_int_equal(width_of("注文"), 4);
  assert_int_equal(width_of("📦!"), 3);
  assert_int_equal(width_of("e\xCC\x81"), 1);
  assert_int_equal(width_of("a\x1b[1m\tb"), 7);   /* each is printed as a space, or as it is */
  assert_int_equal(width_of("a\xE2\x80\xAE"), 2); /* turns the direction */
  assert_int_equal(width_of("a\xFF"), 2);
}

static void expect_prefix(const char *text, int most, size_t bytes, int wide) {
  int columns = -1;
  assert_int_equal(width_prefix(text, most, &columns), bytes);
  assert_int_equal(columns, wide);
}

static void cuts_between_characters(void **state) {
  (void)state;
  expect_prefix("abc", 2, 2, 2);
  expect_prefix("注文", 3, 3, 2);
  expect_prefix("注文", 4, 6, 4);
  expect_prefix("e\xCC\x81x", 1, 3, 1); /* the accent belongs to its letter */
  expect_prefix("", 5, 0, 0);
}

/* Of a line with two columns, the second at 8. */
static void expect_line(const char *text, const char *expected) {
  struct buf out = {0};
  struct style style = {.terminal = true, .unicode = true, .width = 21};
  struct line line = {.out = &out, .style = &style};
  line_put_within(&line, TONE_PLAIN, text, 6);
  line_pad(&line, 8);
  line_put(&line, TONE_PLAIN, "|");
  buf_put_u8(&out, '\0');
  assert_string_equal(out.data, expected);
  assert_int_equal(line.column, 9);
  buf_free(&out);
}

static void keeps_columns_straight(void **state) {
  (void)state;
  expect_line("order", "order   |");
  expect_line("注文", "注文    |");
  expect_line("注文受", "注文受  |");
  expect_line("注文受付", "注文…   |");
  expect_line("caf\xC3\xA9 e\xCC\x81te\xCC\x81", "café …  |");
  expect_line("📦📦", "📦📦    |");
  expect_line("a\x1b[1mb", "a [1mb  |");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(counts_columns), cmocka_unit_test(cuts_between_characters),
                                     cmocka_unit_test(keeps_columns_straight)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
