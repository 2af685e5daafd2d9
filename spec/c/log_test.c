/* Log lines as text and as JSON: every value stays on its line and inside its quotes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/log.h"
#include "base/utf8.h"

static const int64_t time_ms = 1700000000123;

static void check_line(const struct log *log, const struct log_field *fields, const char *expected) {
  struct buf line = {0};
  log_format_line(log, time_ms, LOG_WARN, "did", fields, &line);
  buf_put_u8(&line, 0);
  assert_string_equal(line.data, expected);
  buf_free(&line);
}

#define CHECK_LINE(log, expected, ...) \
  check_line((log), (const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){.type = LOG_FIELD_END}}, (expected))

static void writes_text(void **state) {
  const struct log log = {.format = LOG_TEXT, .program = "worker q"};
  (void)state;
  CHECK_LINE(&log, "2023-11-14T22:13:20.123Z warn  [worker q] did\n");
  CHECK_LINE(&log,
             "2023-11-14T22:13:20.123Z warn  [worker q] did a=plain b=\"two words\" c=\"\" d=-5 e=0.1 f={\"x\":1}\n",
             LOG_STR("a", "plain"), LOG_STR("b", "two words"), LOG_STR("c", ""), LOG_INT("d", -5), LOG_F64("e", 0.1),
             LOG_JSON_TEXT("f", "{\"x\":1}"), LOG_STR("left_out", NULL), LOG_JSON_TEXT("too", NULL));
  CHECK_LINE(&log,
             "2023-11-14T22:13:20.123Z warn  [worker q] did a=\"say \\\"x\\\" \\\\ y\" b=\"one\n    two  three\\r\" "
             "c=\"\\x1b[31m\" "
             "d=\"k=v\" g=\"a\\tb\" e=\"\xc3\xa4\" f=\"\xEF\xBF\xBD!\"\n",
             LOG_STR("a", "say \"x\" \\ y"), LOG_STR("b", "one\ntwo\tthree\r"), LOG_STR("c", "\x1b[31m"),
             LOG_STR("d", "k=v"), LOG_STR("g", "a\tb"), LOG_STR("e", "\xc3\xa4"), LOG_STR("f", "\xff!"));
}

static void writes_json(void **state) {
  const struct log log = {.format = LOG_JSON};
  (void)state;
  CHECK_LINE(&log, "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warn\",\"verb\":\"did\"}\n");
  CHECK_LINE(
      &log,
      "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warn\",\"verb\":\"did\",\"a\":\"say \\\"x\\\" \\\\ y\","
      "\"b\":\"one\\ntwo\",\"c\":\"\\u001b\\u007f\",\"d\":7,\"e\":null,\"f\":[1],\"g\":\"\xEF\xBF\xBD\"}\n",
      LOG_STR("a", "say \"x\" \\ y"), LOG_STR("b", "one\ntwo"), LOG_STR("c", "\x1b\x7f"), LOG_INT("d", 7),
      LOG_F64("e", NAN), LOG_JSON_TEXT("f", "[1]"), LOG_STR("g", "\xc0"));
}

/* C1, a line separator, marks that turn the direction, a zero-width space and a byte order mark; a joiner of emoji
 * stays. */
static void escapes_what_steers_a_terminal(void **state) {
  static const char text[] =
      "a\xC2\x9B\xE2\x80\xA8\xE2\x80\xAE\xE2\x81\xA6\xD8\x9C\xE2\x80\x8B\xEF\xBB\xBF\xE2\x80\x8D";
  const struct log plain = {.format = LOG_TEXT}, json = {.format = LOG_JSON};
  (void)state;
  CHECK_LINE(
      &plain,
      "2023-11-14T22:13:20.123Z warn  did a=\"a\\u009b\\u2028\\u202e\\u2066\\u061c\\u200b\\ufeff\xE2\x80\x8D\"\n",
      LOG_STR("a", text));
  CHECK_LINE(
      &json,
      "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warn\",\"verb\":\"did\","
      "\"a\":\"a\\u009b\\u2028\\u202e\\u2066\\u061c\\u200b\\ufeff\xE2\x80\x8D\",\"b\":{\"x\\u202e\":\"\\u009b\"}}\n",
      LOG_STR("a", text), LOG_JSON_TEXT("b", "{\"x\xE2\x80\xAE\":\"\xC2\x9B\"}"));
}

static void writes_what_is_no_json_as_a_string(void **state) {
  const struct log log = {.format = LOG_TEXT};
  (void)state;
  CHECK_LINE(&log,
             "2023-11-14T22:13:20.123Z warn  did a=\"{\\\"x\\\":\" b=\"\" c=\"1\\n2\" d=\"\xEF\xBF\xBD\" e=\"1 2\"\n",
             LOG_JSON_TEXT("a", "{\"x\":"), LOG_JSON_TEXT("b", ""), LOG_JSON_TEXT("c", "1\n2"),
             LOG_JSON_TEXT("d", "\xff"), LOG_JSON_TEXT("e", "1 2"));
}

/* A field's text of more than 8 KiB is cut before a character, and the line says how much of it is missing. */
static void cuts_long_fields(void **state) {
  const struct log text_log = {.format = LOG_TEXT}, json_log = {.format = LOG_JSON};
  char text[8192 + 6], list[8192 + 3];
  (void)state;
  memset(text, 'x', sizeof text);
  memcpy(text + 8191, "\xc3\xa4yyy", 6);
  struct buf line = {0};
  log_format_line(&text_log, 0, LOG_INFO, "did",
                  (const struct log_field[]){LOG_STR("a", text), {.type = LOG_FIELD_END}}, &line);
  buf_put_u8(&line, 0);
  assert_non_null(strstr(line.data, "xx ... (5 bytes left out)\"\n"));
  assert_int_equal(strspn(strchr(line.data, '"') + 1, "x"), 8191);
  buf_free(&line);
  memset(list, ' ', sizeof list);
  list[0] = '[';
  list[sizeof list - 2] = ']';
  list[sizeof list - 1] = '\0';
  log_format_line(&json_log, 0, LOG_INFO, "did",
                  (const struct log_field[]){LOG_JSON_TEXT("a", list), {.type = LOG_FIELD_END}}, &line);
  buf_put_u8(&line, 0);
  assert_non_null(strstr(line.data, "\"a\":\"[ "));
  assert_non_null(strstr(line.data, " ... (2 bytes left out)\"}\n"));
  buf_free(&line);
}

static void cuts_errors_before_a_character(void **state) {
  struct err err;
  char text[sizeof err.hint * 2];
  (void)state;
  for (size_t i = 0; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xc3\xa4", 3);
  for (int shift = 0; shift < 2; shift++) {
    err_set(&err, ERR_CONFIG, EXIT_FAILED, "%s", text);
    err_hint(&err, "%.*s%s", shift, "x", text);
    const char *parts[] = {err.message, err.hint};
    for (int i = 0; i < 2; i++) {
      struct buf clean = {0};
      size_t length = strlen(parts[i]);
      utf8_clean(&clean, parts[i], length, 0);
      assert_int_equal(clean.len, length);
      assert_memory_equal(clean.data, parts[i], length);
      assert_string_equal(parts[i] + length - 10, " ... (cut)");
      buf_free(&clean);
    }
  }
}

static void reads_levels(void **state) {
  enum log_level level;
  (void)state;
  assert_true(log_level_parse("debug", &level));
  assert_int_equal(level, LOG_DEBUG);
  assert_true(log_level_parse("error", &level));
  assert_int_equal(level, LOG_ERROR);
  assert_false(log_level_parse("loud", &level));
}

static void check_clean(const char *bytes, size_t length, size_t limit, const char *expected) {
  struct buf out = {0};
  utf8_clean(&out, bytes, length, limit);
  buf_put_u8(&out, 0);
  assert_string_equal(out.data, expected);
  buf_free(&out);
}

static void cleans_and_cuts_text(void **state) {
  (void)state;
  check_clean("a\0b", 3, 0,
              "a\xEF\xBF\xBD"
              "b");
  check_clean("\xed\xa0\x80", 3, 0, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* a surrogate */
  check_clean("\xf0\x9f\x98\x80", 4, 0, "\xf0\x9f\x98\x80");
  check_clean("\xf0\x9f\x98", 3, 0, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* cut short */
  check_clean("0123456789abcdef", 16, 16, "0123456789abcdef");
  check_clean("0123456789abcdefg", 17, 16, "012345 ... (cut)");
  check_clean("0123\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 18, 16, "0123\xc3\xa4 ... (cut)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_text),
      cmocka_unit_test(writes_json),
      cmocka_unit_test(escapes_what_steers_a_terminal),
      cmocka_unit_test(writes_what_is_no_json_as_a_string),
      cmocka_unit_test(cuts_long_fields),
      cmocka_unit_test(cuts_errors_before_a_character),
      cmocka_unit_test(reads_levels),
      cmocka_unit_test(cleans_and_cuts_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
