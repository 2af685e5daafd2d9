/* Encoding of frames and the pure decoder. Header: u32 payload length, u32 type, u64 task number. */
#include "base/frame.h"

#include <string.h>

#include "base/check.h"

enum { KEEP_MAX = 1 << 20 }; /* an empty decoder gives a larger buffer back */

static const char *const type_names[] = {
#define X(name) #name,
    FRAME_TYPES(X)
#undef X
};

enum { TYPE_COUNT = sizeof type_names / sizeof *type_names };

struct header {
  uint32_t length;
  uint32_t type;
  uint64_t task;
};

_Static_assert(sizeof(struct header) == FRAME_HEADER_SIZE, "the header has no padding");

void frame_encode(struct buf *out, enum frame_type type, uint64_t task, const struct buf *payload) {
  struct header header = {.length = payload ? (uint32_t)payload->len : 0, .type = type, .task = task};
  CHECK(!payload || payload->len <= FRAME_MAX);
  buf_put(out, &header, sizeof header);
  if (payload) buf_put(out, payload->data, payload->len);
}

void frame_decoder_feed(struct frame_decoder *decoder, const char *bytes, size_t length) {
  struct buf *pending = &decoder->pending;
  if (decoder->taken) {
    memmove(pending->data, pending->data + decoder->taken, pending->len - decoder->taken);
    pending->len -= decoder->taken;
    decoder->taken = 0;
  }
  if (pending->len == 0 && pending->cap > KEEP_MAX) buf_free(pending);
  buf_put(pending, bytes, length);
}

bool frame_decoder_next(struct frame_decoder *decoder, struct frame *frame) {
  struct header header;
  size_t there = decoder->pending.len - decoder->taken;
  if (decoder->broken || there < sizeof header) return false;
  const char *start = decoder->pending.data + decoder->taken;
  memcpy(&header, start, sizeof header);
  if (header.type >= TYPE_COUNT || header.length > (decoder->limit ? decoder->limit : FRAME_MAX)) {
    decoder->broken = true;
    return false;
  }
  if (there - sizeof header < header.length) return false;
  frame->type = (enum frame_type)header.type;
  frame->task = header.task;
  frame->payload = (struct cursor){.data = start + sizeof header, .len = header.length};
  decoder->taken += sizeof header + header.length;
  return true;
}

void frame_decoder_free(struct frame_decoder *decoder) {
  buf_free(&decoder->pending);
  decoder->taken = 0;
}

const char *frame_type_name(enum frame_type type) { return (size_t)type < TYPE_COUNT ? type_names[type] : "unknown"; }
