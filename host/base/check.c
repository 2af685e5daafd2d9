/* Ends a process that has found a bug in itself. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *condition, const char *file, int line) {
  fprintf(stderr, "luaflow: bug: %s:%d: %s does not hold\n", file, line, condition);
  abort();
}
