/* The buffer and the cursor that reads it back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

static void reads_back_what_was_put(void **state) {
  struct buf buf = {0};
  (void)state;
  buf_put_u8(&buf, 200);
  buf_put_u32(&buf, 4000000000u);
  buf_put_i64(&buf, INT64_MIN);
  buf_put_f64(&buf, 0.1);
  buf_put_text(&buf, "a\0b", 3);
  buf_put_str(&buf, NULL);
  buf_put_str(&buf, "");
  struct cursor cursor = {.data = buf.data, .len = buf.len};
  assert_int_equal(cursor_u8(&cursor), 200);
  assert_int_equal(cursor_u32(&cursor), 4000000000u);
  assert_true(cursor_i64(&cursor) == INT64_MIN);
  assert_true(cursor_f64(&cursor) == 0.1);
  struct text text = cursor_text(&cursor);
  assert_int_equal(text.length, 3);
  assert_memory_equal(text.bytes, "a\0b", 3);
  assert_null(cursor_strdup(&cursor));
  char *empty = cursor_strdup(&cursor);
  assert_string_equal(empty, "");
  free(empty);
  assert_false(cursor.bad);
  assert_int_equal(cursor.pos, cursor.len);
  buf_free(&buf);
}

static void notices_every_missing_byte(void **state) {
  struct buf buf = {0};
  (void)state;
  buf_put_u32(&buf, 7);
  buf_put_str(&buf, "hello");
  buf_put_i64(&buf, 1);
  for (size_t length = 0; length < buf.len; length++) {
    struct cursor cursor = {.data = buf.data, .len = length};
    cursor_u32(&cursor);
    cursor_text(&cursor);
    cursor_i64(&cursor);
    assert_true(cursor.bad);
    assert_true(cursor.pos <= length);
    assert_int_equal(cursor_u8(&cursor), 0);
    assert_null(cursor_text(&cursor).bytes);
  }
  buf_free(&buf);
}

static void grows_by_formatting(void **state) {
  struct buf buf = {0};
  (void)state;
  for (int i = 0; i < 1000; i++) buf_printf(&buf, "%03d", i);
  assert_int_equal(buf.len, 3000);
  assert_memory_equal(buf.data + 2997, "999", 3);
  buf_clear(&buf);
  assert_int_equal(buf.len, 0);
  buf_free(&buf);
  assert_null(buf.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_back_what_was_put),
      cmocka_unit_test(notices_every_missing_byte),
      cmocka_unit_test(grows_by_formatting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
