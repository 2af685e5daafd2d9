/* Checks and repairs UTF-8. */
#include "base/utf8.h"

#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD";
static const char cut_mark[] = " ... (cut)";

size_t utf8_sequence(const char *bytes, size_t length) {
  const unsigned char *s = (const unsigned char *)bytes;
  if (length == 0) return 0;
  if (s[0] < 0x80) return 1;
  size_t need = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
  if (need == 0 || need > length) return 0;
  for (size_t i = 1; i < need; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  if (s[0] == 0xE0 && s[1] < 0xA0) return 0; /* overlong */
  if (s[0] == 0xED && s[1] > 0x9F) return 0; /* surrogate */
  if (s[0] == 0xF0 && s[1] < 0x90) return 0; /* overlong */
  if (s[0] == 0xF4 && s[1] > 0x8F) return 0; /* beyond U+10FFFF */
  return need;
}

uint32_t utf8_point(const char *bytes, size_t length) {
  static const unsigned char first_bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t point = (unsigned char)bytes[0] & first_bits[length];
  for (size_t i = 1; i < length; i++) point = point << 6 | ((unsigned char)bytes[i] & 0x3F);
  return point;
}

uint32_t utf8_control(const char *bytes, size_t length) {
  static const struct {
    uint32_t first, last;
  } ranges[] = {{0x01, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200B},
                {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}};
  uint32_t point = utf8_point(bytes, length);
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (point >= ranges[i].first && point <= ranges[i].last) return point;
  return 0;
}

size_t utf8_prefix(const char *bytes, size_t length, size_t limit) {
  if (length <= limit) return length;
  size_t end = limit;
  while (end > 0 && limit - end < 3 && ((unsigned char)bytes[end] & 0xC0) == 0x80) end--;
  return ((unsigned char)bytes[end] & 0xC0) == 0x80 ? limit : end; /* no character has so many bytes: it is not UTF-8 */
}

void utf8_fit(char *text, size_t size, int wanted) {
  if (wanted < 0 || (size_t)wanted < size || size < sizeof cut_mark) return;
  size_t end = utf8_prefix(text, size, size - sizeof cut_mark);
  memcpy(text + end, cut_mark, sizeof cut_mark);
}

void utf8_clean(struct buf *out, const char *bytes, size_t length, size_t limit) {
  size_t start = out->len;
  size_t cut_at = start; /* the last place where the mark still fits behind */
  for (size_t pos = 0; pos < length;) {
    size_t size = utf8_sequence(bytes + pos, length - pos);
    bool keep = size > 0 && bytes[pos] != '\0';
    const char *piece = keep ? bytes + pos : replacement;
    size_t piece_length = keep ? size : sizeof replacement - 1;
    if (limit && out->len - start + piece_length > limit) {
      out->len = cut_at;
      buf_put(out, cut_mark, sizeof cut_mark - 1);
      return;
    }
    buf_put(out, piece, piece_length);
    if (out->len - start + sizeof cut_mark - 1 <= limit) cut_at = out->len;
    pos += size ? size : 1;
  }
}
