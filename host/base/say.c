/* Cleaned by base/plain as it is printed, so no caller can forget it. */
#include "base/say.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

void say_drawn(FILE *out, const struct buf *drawn) {
  if (drawn->len > 0) fwrite(drawn->data, 1, drawn->len, out);
}

void say_text(FILE *out, const char *text, size_t length) {
  struct buf clean = {0};
  plain_put(&clean, text, length, PLAIN_LINES);
  say_drawn(out, &clean);
  buf_free(&clean);
}

void say(FILE *out, const char *format, ...) {
  char *text;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) abort(); /* out of memory */
  say_text(out, text, (size_t)length);
  free(text);
}

void say_err(const struct err *err) {
  struct buf clean = {0};
  buf_printf(&clean, "luaflow: ");
  plain_put(&clean, err->message, strlen(err->message), PLAIN_LINE);
  buf_printf(&clean, *err->hint ? "\n  hint: " : "");
  plain_put(&clean, err->hint, strlen(err->hint), PLAIN_LINE);
  buf_printf(&clean, "\n");
  say_drawn(stderr, &clean);
  buf_free(&clean);
}

void say_json(FILE *out, const char *text, size_t length) {
  struct buf clean = {0};
  plain_put_json(&clean, text, length);
  buf_printf(&clean, "\n");
  say_drawn(out, &clean);
  buf_free(&clean);
}
