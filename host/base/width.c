/* By wcwidth of the C library's UTF-8 locale, whatever the locale of the process. */
#include "base/width.h"

#include <limits.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "base/utf8.h"

static int character_width(const char *bytes, size_t length) {
  if (length == 0 || utf8_control(bytes, length)) return 1;
  int width = wcwidth((wchar_t)utf8_point(bytes, length));
  return width < 0 ? 1 : width;
}

size_t width_prefix(const char *text, int most, int *columns) {
  size_t length = strlen(text), end = 0;
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); /* without it each character counts one */
  locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
  *columns = 0;
  while (end < length) {
    size_t size = utf8_sequence(text + end, length - end);
    int width = character_width(text + end, size);
    if (width > most - *columns) break;
    *columns += width;
    end += size ? size : 1;
  }
  if (utf8) {
    uselocale(before);
    freelocale(utf8);
  }
  return end;
}

int width_of(const char *text) {
  int columns;
  width_prefix(text, INT_MAX, &columns);
  return columns;
}
