/* Control characters of ASCII, and those of Latin-1, which UTF-8 writes as C2 80 to C2 9F. */
#include "cli/plain.h"

#include <string.h>

#include "base/xalloc.h"

void plain_put(struct buf *out, const char *text, size_t length, enum plain_kind kind) {
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    bool stays = kind == PLAIN_LINES && (c == '\n' || c == '\t');
    bool latin = c == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] >= 0x80 && (unsigned char)text[i + 1] < 0xA0;
    if (latin) i++;
    buf_put(out, latin || (!stays && (c < ' ' || c == 0x7F)) ? " " : (const char *)&c, 1);
  }
}

char *plain_copy(const char *text, enum plain_kind kind) {
  struct buf clean = {0};
  plain_put(&clean, text, strlen(text), kind);
  char *copy = xmemdup(clean.len ? clean.data : "", clean.len);
  buf_free(&clean);
  return copy;
}
