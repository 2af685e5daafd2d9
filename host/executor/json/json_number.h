/* Numbers between JSON text and C, independent of the locale. Knows nothing of Lua. */
#ifndef LUAFLOW_EXECUTOR_JSON_JSON_NUMBER_H
#define LUAFLOW_EXECUTOR_JSON_JSON_NUMBER_H

#include <stdint.h>

#include "base/buf.h"

enum json_number {
  JSON_DOUBLE,
  JSON_INT64,          /* an integer beyond 2^53 that int64_t holds */
  JSON_OUTSIDE_INT64,  /* an integer beyond int64_t that no double writes as the same number */
  JSON_OUTSIDE_DOUBLE, /* beyond the range of a double */
};

/* Reads a number by JSON's grammar, length bytes that need no terminator. Sets *number for JSON_DOUBLE (a decimal is
 * rounded to the nearest) and *integer for JSON_INT64. */
enum json_number json_number_read(const char *text, size_t length, double *number, int64_t *integer);

/* Appends the shortest text that reads back as the same double. number is finite. */
void json_number_write(struct buf *out, double number);

#endif
