/* The growing buffer and the cursor that reads it back. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { NULL_TEXT = -1 };

void buf_free(struct buf *buf) {
  free(buf->data);
  *buf = (struct buf){0};
}

void buf_clear(struct buf *buf) { buf->len = 0; }

void buf_reserve(struct buf *buf, size_t more) {
  size_t need = buf->len + more;
  if (need <= buf->cap) return;
  size_t cap = buf->cap ? buf->cap : 64;
  while (cap < need) cap *= 2;
  buf->data = xrealloc(buf->data, cap);
  buf->cap = cap;
}

void buf_put(struct buf *buf, const void *bytes, size_t length) {
  if (length == 0) return;
  buf_reserve(buf, length);
  memcpy(buf->data + buf->len, bytes, length);
  buf->len += length;
}

void buf_put_u8(struct buf *buf, uint8_t value) { buf_put(buf, &value, sizeof value); }

void buf_put_u32(struct buf *buf, uint32_t value) { buf_put(buf, &value, sizeof value); }

void buf_put_i64(struct buf *buf, int64_t value) { buf_put(buf, &value, sizeof value); }

void buf_put_f64(struct buf *buf, double value) { buf_put(buf, &value, sizeof value); }

void buf_put_text(struct buf *buf, const char *bytes, size_t length) {
  buf_put_u32(buf, bytes ? (uint32_t)length : (uint32_t)NULL_TEXT);
  if (bytes) buf_put(buf, bytes, length);
}

void buf_put_str(struct buf *buf, const char *text) { buf_put_text(buf, text, text ? strlen(text) : 0); }

void buf_printf(struct buf *buf, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (length <= 0) return;
  buf_reserve(buf, (size_t)length + 1);
  va_start(args, format);
  vsnprintf(buf->data + buf->len, (size_t)length + 1, format, args);
  va_end(args);
  buf->len += (size_t)length;
}

/* Copies length bytes out of the cursor; zeroes and sets bad when they are not all there. */
static void take(struct cursor *cursor, void *out, size_t length) {
  if (cursor->bad || length > cursor->len - cursor->pos) {
    cursor->bad = true;
    memset(out, 0, length);
    return;
  }
  memcpy(out, cursor->data + cursor->pos, length);
  cursor->pos += length;
}

uint8_t cursor_u8(struct cursor *cursor) {
  uint8_t value;
  take(cursor, &value, sizeof value);
  return value;
}

uint32_t cursor_u32(struct cursor *cursor) {
  uint32_t value;
  take(cursor, &value, sizeof value);
  return value;
}

int64_t cursor_i64(struct cursor *cursor) {
  int64_t value;
  take(cursor, &value, sizeof value);
  return value;
}

double cursor_f64(struct cursor *cursor) {
  double value;
  take(cursor, &value, sizeof value);
  return value;
}

struct text cursor_text(struct cursor *cursor) {
  uint32_t length = cursor_u32(cursor);
  if (cursor->bad || length == (uint32_t)NULL_TEXT) return (struct text){0};
  if (length > cursor->len - cursor->pos) {
    cursor->bad = true;
    return (struct text){0};
  }
  struct text text = {.bytes = cursor->data + cursor->pos, .length = length};
  cursor->pos += length;
  return text;
}

char *cursor_strdup(struct cursor *cursor) {
  struct text text = cursor_text(cursor);
  return text.bytes ? xmemdup(text.bytes, text.length) : NULL;
}
