/* Results and statements of handlers as payloads of frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "worker/handler_sql/handler_reply.h"
#include "worker/handler_sql/handler_statement.h"

static PGresult *new_row(const char *first, const char *second) {
  PGresult *row = PQmakeEmptyPGresult(NULL, PGRES_SINGLE_TUPLE);
  PGresAttDesc columns[] = {{.name = "id", .typid = 23}, {.name = "name", .typid = 25}};
  PQsetResultAttrs(row, 2, columns);
  PQsetvalue(row, 0, 0, (char *)first, first ? (int)strlen(first) : -1);
  PQsetvalue(row, 0, 1, (char *)second, second ? (int)strlen(second) : -1);
  return row;
}

static void expect_text(struct cursor *cursor, const char *expected) {
  struct text text = cursor_text(cursor);
  if (!expected) {
    assert_null(text.bytes);
    return;
  }
  assert_int_equal(text.length, strlen(expected));
  assert_memory_equal(text.bytes, expected, text.length);
}

static void rows_with_columns_and_nulls(void **state) {
  struct handler_reply reply = {.limit = 1000};
  struct buf payload = {0};
  (void)state;
  PGresult *first = new_row("1", "a"), *second = new_row("2", NULL);
  assert_true(handler_reply_row(&reply, first));
  assert_true(handler_reply_row(&reply, second));
  handler_reply_put_rows(&reply, first, &payload);
  struct cursor cursor = {.data = payload.data, .len = payload.len};
  assert_int_equal(cursor_u8(&cursor), 1);
  assert_int_equal(cursor_i64(&cursor), 2);
  assert_int_equal(cursor_u32(&cursor), 2);
  expect_text(&cursor, "id");
  assert_int_equal(cursor_u32(&cursor), 23);
  expect_text(&cursor, "name");
  assert_int_equal(cursor_u32(&cursor), 25);
  assert_int_equal(cursor_u32(&cursor), 2);
  expect_text(&cursor, "1");
  expect_text(&cursor, "a");
  expect_text(&cursor, "2");
  expect_text(&cursor, NULL);
  assert_false(cursor.bad);
  assert_int_equal(cursor.pos, cursor.len);
  PQclear(first);
  PQclear(second);
  buf_free(&payload);
}

static void more_than_the_limit_is_not_kept(void **state) {
  struct handler_reply reply = {.limit = 40};
  (void)state;
  PGresult *row = new_row("1", "0123456789");
  assert_true(handler_reply_row(&reply, row));
  assert_false(handler_reply_is_too_large(&reply));
  assert_false(handler_reply_row(&reply, row) && handler_reply_row(&reply, row));
  assert_true(handler_reply_is_too_large(&reply));
  assert_int_equal(reply.rows.len, 0);
  assert_false(handler_reply_row(&reply, row));
  assert_true(handler_reply_is_too_large(&reply));
  PQclear(row);
  handler_reply_free(&reply);
}

static void an_error_of_ones_own(void **state) {
  struct buf payload = {0};
  (void)state;
  handler_reply_put_error("08006", "database: gone", "", &payload);
  struct cursor cursor = {.data = payload.data, .len = payload.len};
  assert_int_equal(cursor_u8(&cursor), 0);
  expect_text(&cursor, "gone");
  expect_text(&cursor, "08006");
  for (int i = 0; i < 6; i++) expect_text(&cursor, NULL);
  assert_false(cursor.bad);
  assert_int_equal(cursor.pos, cursor.len);
  buf_free(&payload);
}

static void a_statement_cut_anywhere_is_refused(void **state) {
  struct buf payload = {0};
  struct handler_statement statement;
  (void)state;
  buf_put_str(&payload, "select $1, $2");
  buf_put_u32(&payload, 2);
  buf_put_str(&payload, "a");
  buf_put_str(&payload, NULL);
  for (size_t length = 0; length < payload.len; length++) {
    struct cursor cursor = {.data = payload.data, .len = length};
    assert_false(handler_statement_read(&statement, &cursor));
    handler_statement_free(&statement);
  }
  struct cursor whole = {.data = payload.data, .len = payload.len};
  assert_true(handler_statement_read(&statement, &whole));
  assert_string_equal(statement.sql, "select $1, $2");
  assert_int_equal(statement.count, 2);
  assert_string_equal(statement.values[0], "a");
  assert_null(statement.values[1]);
  handler_statement_free(&statement);
  buf_free(&payload);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_with_columns_and_nulls),
      cmocka_unit_test(more_than_the_limit_is_not_kept),
      cmocka_unit_test(an_error_of_ones_own),
      cmocka_unit_test(a_statement_cut_anywhere_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
