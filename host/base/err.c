/* Fills the one error type. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

bool err_set(struct err *err, enum err_kind kind, enum exit_code exit_code, const char *format, ...) {
  va_list args;
  err->kind = kind;
  err->exit_code = exit_code;
  err->sqlstate[0] = '\0';
  err->hint[0] = '\0';
  va_start(args, format);
  utf8_fit(err->message, sizeof err->message, vsnprintf(err->message, sizeof err->message, format, args));
  va_end(args);
  return false;
}

bool err_hint(struct err *err, const char *format, ...) {
  va_list args;
  va_start(args, format);
  utf8_fit(err->hint, sizeof err->hint, vsnprintf(err->hint, sizeof err->hint, format, args));
  va_end(args);
  return false;
}

const char *err_plain(const char *message) {
  static const char prefix[] = "database: ";
  return strncmp(message, prefix, sizeof prefix - 1) == 0 ? message + sizeof prefix - 1 : message;
}
