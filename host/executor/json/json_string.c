/* Escapes what must not stand for itself; everything else is copied in runs. */
#include "executor/json/json_string.h"

#include <string.h>

#include "base/utf8.h"

static void put_escape(struct buf *out, char c) {
  static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
  const char *found = strchr(from, c);
  if (found)
    buf_printf(out, "\\%c", to[found - from]);
  else
    buf_printf(out, "\\u%04x", c);
}

const char *json_string_write(struct buf *out, const char *bytes, size_t length) {
  size_t written = 0; /* of bytes */
  buf_put(out, "\"", 1);
  for (size_t pos = 0; pos < length;) {
    unsigned char c = (unsigned char)bytes[pos];
    if (c >= 0x80) {
      size_t size = utf8_sequence(bytes + pos, length - pos);
      if (size == 0) return "string that is not valid UTF-8";
      pos += size;
      continue;
    }
    if (c == 0) return "string with U+0000, which jsonb cannot hold";
    if (c < 0x20 || c == '"' || c == '\\') {
      buf_put(out, bytes + written, pos - written);
      put_escape(out, (char)c);
      written = pos + 1;
    }
    pos++;
  }
  buf_put(out, bytes + written, length - written);
  buf_put(out, "\"", 1);
  return NULL;
}
