/* Allocation that never fails: when memory is out the process says so and aborts. */
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *check(void *memory) {
  static const char message[] = "luaflow: out of memory\n";
  if (memory) return memory;
  ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
  (void)ignored;
  abort();
}

void *xmalloc(size_t size) { return check(malloc(size ? size : 1)); }

void *xcalloc(size_t count, size_t size) { return check(calloc(count ? count : 1, size ? size : 1)); }

void *xrealloc(void *memory, size_t size) { return check(realloc(memory, size ? size : 1)); }

char *xstrdup(const char *text) { return text ? check(strdup(text)) : NULL; }

char *xmemdup(const char *bytes, size_t length) {
  char *copy = xmalloc(length + 1);
  if (length) memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

char *xasprintf(const char *format, ...) {
  va_list args;
  char *text = NULL;
  va_start(args, format);
  if (vasprintf(&text, format, args) < 0) text = NULL;
  va_end(args);
  return check(text);
}
