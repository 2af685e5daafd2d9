/* Each character that steers a terminal or turns the direction of text becomes a space. */
#include "base/plain.h"

#include <string.h>

#include "base/utf8.h"
#include "base/xalloc.h"

void plain_put(struct buf *out, const char *text, size_t length, enum plain_kind kind) {
  for (size_t i = 0, size; i < length; i += size) {
    bool stays = kind == PLAIN_LINES && (text[i] == '\n' || text[i] == '\t');
    size = utf8_sequence(text + i, length - i);
    bool shown = size > 0 && text[i] != '\0' && (stays || utf8_control(text + i, size) == 0);
    if (size == 0) size = 1; /* not UTF-8 */
    buf_put(out, shown ? text + i : " ", shown ? size : 1);
  }
}

void plain_put_json(struct buf *out, const char *text, size_t length) {
  for (size_t i = 0, size; i < length; i += size) {
    size = utf8_sequence(text + i, length - i);
    uint32_t control = size > 0 && !strchr("\n\t\r", text[i]) ? utf8_control(text + i, size) : 0;
    if (control)
      buf_printf(out, "\\u%04x", control);
    else
      buf_put(out, size > 0 ? text + i : " ", size > 0 ? size : 1);
    if (size == 0) size = 1; /* not UTF-8, which no JSON is */
  }
}

char *plain_copy(const char *text, enum plain_kind kind) {
  struct buf clean = {0};
  plain_put(&clean, text, strlen(text), kind);
  char *copy = xmemdup(clean.len ? clean.data : "", clean.len);
  buf_free(&clean);
  return copy;
}
