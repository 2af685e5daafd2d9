/* Reading by strtod, writing by trial: the first precision that reads back the same. The decimal point of a locale is
 * never seen, since only digits and exponents are taken from the C library. */
#include "executor/json/json_number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
  DIGITS_MAX = 17,     /* enough for every double */
  POSITIONAL_MAX = 21, /* integers of more digits are written with an exponent */
  POSITIONAL_MIN = -7, /* decimals of a smaller exponent too */
};

static const int64_t exact_limit = INT64_C(1) << 53; /* so far a double holds every integer */
static const double plain_limit = 1e15;

/* A positive double as d.ddd * 10^exponent, no zero at the end. */
struct decimal {
  char digits[DIGITS_MAX + 1];
  int count;
  int exponent;
};

/* strtod wants a terminator, and in some locales a comma: 1.5e3 is handed over as 15e2. */
static double read_decimal(const char *text, size_t length) {
  char small[64];
  char *digits = length + 32 <= sizeof small ? small : xmalloc(length + 32);
  size_t count = 0, pos = 0;
  long exponent = 0;
  bool fraction = false;
  for (; pos < length && text[pos] != 'e' && text[pos] != 'E'; pos++) {
    if (text[pos] == '.') {
      fraction = true;
      continue;
    }
    digits[count++] = text[pos];
    if (fraction) exponent--;
  }
  if (pos < length) {
    char part[24];
    size_t part_length = length - pos - 1 < sizeof part - 1 ? length - pos - 1 : sizeof part - 1;
    memcpy(part, text + pos + 1, part_length);
    part[part_length] = '\0';
    long given = strtol(part, NULL, 10);
    if (given > 1000000000) given = 1000000000;
    if (given < -1000000000) given = -1000000000;
    exponent += given;
  }
  snprintf(digits + count, 32, "e%ld", exponent);
  double number = strtod(digits, NULL);
  if (digits != small) free(digits);
  return number;
}

static void decimal_of(double magnitude, int precision, struct decimal *decimal) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", precision - 1, magnitude);
  char *exponent = strchr(text, 'e');
  decimal->count = 0;
  for (const char *c = text; c < exponent; c++)
    if (*c >= '0' && *c <= '9') decimal->digits[decimal->count++] = *c;
  decimal->exponent = (int)strtol(exponent + 1, NULL, 10);
}

static double decimal_value(const struct decimal *decimal) {
  char text[64];
  snprintf(text, sizeof text, "%.*se%d", decimal->count, decimal->digits, decimal->exponent - decimal->count + 1);
  return strtod(text, NULL);
}

static struct decimal shortest(double magnitude) {
  struct decimal decimal;
  int precision = magnitude < DBL_MIN ? 1 : DBL_DIG; /* up to DBL_DIG digits survive unless the number is subnormal */
  for (;; precision++) {
    decimal_of(magnitude, precision, &decimal);
    if (precision == DIGITS_MAX || decimal_value(&decimal) == magnitude) break;
  }
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') decimal.count--;
  return decimal;
}

/* Is the integer in text the very number that the shortest form of its double says? */
static bool same_as_shortest(const char *text, size_t length, double number) {
  if (*text == '-') {
    text++;
    length--;
  }
  struct decimal decimal = shortest(fabs(number));
  if ((size_t)decimal.exponent != length - 1) return false;
  while (length > 1 && text[length - 1] == '0') length--;
  return length == (size_t)decimal.count && memcmp(text, decimal.digits, length) == 0;
}

static bool fits_int64(const char *text, size_t length, int64_t *integer) {
  char digits[24];
  if (length >= sizeof digits) return false;
  memcpy(digits, text, length);
  digits[length] = '\0';
  errno = 0;
  *integer = strtoll(digits, NULL, 10);
  return errno == 0;
}

static enum json_number read_integer(const char *text, size_t length, double *number, int64_t *integer) {
  if (fits_int64(text, length, integer)) {
    if (*integer > exact_limit || *integer < -exact_limit) return JSON_INT64;
    *number = length > 0 && *text == '-' && *integer == 0 ? -0.0 : (double)*integer;
    return JSON_DOUBLE;
  }
  *number = read_decimal(text, length);
  if (!isfinite(*number)) return JSON_OUTSIDE_DOUBLE;
  return same_as_shortest(text, length, *number) ? JSON_DOUBLE : JSON_OUTSIDE_INT64;
}

enum json_number json_number_read(const char *text, size_t length, double *number, int64_t *integer) {
  for (size_t i = 0; i < length; i++) {
    if (text[i] != '.' && text[i] != 'e' && text[i] != 'E') continue;
    *number = read_decimal(text, length);
    return isfinite(*number) ? JSON_DOUBLE : JSON_OUTSIDE_DOUBLE;
  }
  return read_integer(text, length, number, integer);
}

static void put_zeros(struct buf *out, int count) {
  for (int i = 0; i < count; i++) buf_put(out, "0", 1);
}

static void put_decimal(struct buf *out, const struct decimal *decimal) {
  int whole = decimal->exponent + 1; /* digits before the point */
  if (decimal->exponent < POSITIONAL_MIN || whole > POSITIONAL_MAX) {
    buf_put(out, decimal->digits, 1);
    if (decimal->count > 1) buf_printf(out, ".%.*s", decimal->count - 1, decimal->digits + 1);
    buf_printf(out, "e%d", decimal->exponent);
  } else if (whole <= 0) {
    buf_put(out, "0.", 2);
    put_zeros(out, -whole);
    buf_put(out, decimal->digits, (size_t)decimal->count);
  } else if (whole >= decimal->count) {
    buf_put(out, decimal->digits, (size_t)decimal->count);
    put_zeros(out, whole - decimal->count);
  } else {
    buf_put(out, decimal->digits, (size_t)whole);
    buf_printf(out, ".%.*s", decimal->count - whole, decimal->digits + whole);
  }
}

void json_number_write(struct buf *out, double number) {
  double magnitude = fabs(number);
  if (signbit(number)) buf_put(out, "-", 1);
  if (magnitude < plain_limit && magnitude == floor(magnitude)) {
    buf_printf(out, "%.0f", magnitude);
    return;
  }
  struct decimal decimal = shortest(magnitude);
  put_decimal(out, &decimal);
}
