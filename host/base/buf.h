/* A growing byte buffer, and a cursor that reads back what was put: fixed-width integers in the machine's order, and
 * texts as a 32-bit length and bytes. Both ends of every channel are the same program on the same machine. */
#ifndef LUAFLOW_BASE_BUF_H
#define LUAFLOW_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
  char *data; /* owned; NULL while cap is 0 */
  size_t len;
  size_t cap;
};

void buf_free(struct buf *buf);  /* frees the memory; the buffer is empty and usable again */
void buf_clear(struct buf *buf); /* len = 0, memory kept */
void buf_reserve(struct buf *buf, size_t more);
void buf_put(struct buf *buf, const void *bytes, size_t length);
void buf_put_u8(struct buf *buf, uint8_t value);
void buf_put_u32(struct buf *buf, uint32_t value);
void buf_put_i64(struct buf *buf, int64_t value);
void buf_put_f64(struct buf *buf, double value);
/* Length and bytes; bytes NULL puts the null text, which is read back as NULL. */
void buf_put_text(struct buf *buf, const char *bytes, size_t length);
void buf_put_str(struct buf *buf, const char *text); /* buf_put_text of a terminated string or NULL */
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct cursor {
  const char *data; /* borrowed */
  size_t len;
  size_t pos;
  bool bad; /* set by the first read beyond the end; every later read then gives 0 or NULL */
};

/* A text inside the cursor's memory; not terminated. bytes is NULL for the null text. */
struct text {
  const char *bytes;
  size_t length;
};

uint8_t cursor_u8(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
int64_t cursor_i64(struct cursor *cursor);
double cursor_f64(struct cursor *cursor);
struct text cursor_text(struct cursor *cursor);
/* A terminated copy owned by the caller; NULL for the null text. */
char *cursor_strdup(struct cursor *cursor);

#endif
