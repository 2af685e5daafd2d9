/* Frames: any cut gives the same ones, they are encoded as they came, and their readers take forged payloads. */
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "fuzz.h"
#include "worker/handler_sql/handler_statement.h"
#include "worker/source/load_report.h"

/* Length, type (see FRAME_TYPES) and task of a header; the machine's order is that of the low bytes first here. */
#define HEADER(length, type) length "\0\0\0" type "\0\0\0\1\0\0\0\0\0\0\0"
#define TEXT_A "\1\0\0\0a"

const struct fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED(HEADER("\0", "\4")),                                                               /* ABANDON */
    FUZZ_SEED(HEADER("\x0d", "\7") TEXT_A "\1\0\0\0\0\0\0\0"),                                   /* HELLO */
    FUZZ_SEED(HEADER("\x20", "\x09") TEXT_A "\1\0\0\0" TEXT_A TEXT_A TEXT_A "\0\0\0\0\0\0\0\0"), /* LOADED */
    FUZZ_SEED(HEADER("\x2a", "\x0a") "\1\0\0\0" TEXT_A TEXT_A TEXT_A
                                     "\1\0\0\0\0\0\0\0" TEXT_A TEXT_A TEXT_A),      /* PROBLEMS */
    FUZZ_SEED(HEADER("\x18", "\x0b") "\0" TEXT_A TEXT_A TEXT_A "\0\0\0\0\0\0\0\0"), /* RESULT */
    FUZZ_SEED(HEADER("\x0f", "\x0f") "\1" TEXT_A "\1\0\0\0" TEXT_A),                /* QUERY */
    FUZZ_SEED(HEADER("\0", "\4") HEADER("\0", "\5") HEADER("\x0f", "\x0f") "\0" TEXT_A "\1\0\0\0" TEXT_A),
    {NULL, 0},
};

const struct fuzz_seed fuzz_words[] = {
    FUZZ_SEED(TEXT_A),
    FUZZ_SEED("\377\377\377\377"),
    FUZZ_SEED("\0\0\0\0"),
    FUZZ_SEED("\0\0\0\100"),
    FUZZ_SEED("\1\0\0\100"),
    FUZZ_SEED(HEADER("\0", "\5")),
    FUZZ_SEED(HEADER("\5", "\x0b") TEXT_A),
    {NULL, 0},
};

/* Every payload in turn, as the host reads it. */
static void read_payload(struct frame frame) {
  struct load_report report = {0};
  struct handler_statement statement = {0};
  bool good = false;
  switch ((int)frame.type) {
    case FRAME_LOADED:
      good = load_report_read_loaded(&report, &frame.payload);
      break;
    case FRAME_PROBLEMS:
      good = load_report_read_problems(&report, &frame.payload);
      break;
    case FRAME_QUERY:
      cursor_u8(&frame.payload);
      good = handler_statement_read(&statement, &frame.payload);
      break;
    default:
      cursor_u8(&frame.payload);
      for (int i = 0; i < 3; i++) {
        struct text text = cursor_text(&frame.payload);
        FUZZ_CHECK(!text.bytes || text.length <= frame.payload.len);
      }
      cursor_f64(&frame.payload);
      break;
  }
  FUZZ_CHECK(!good || !frame.payload.bad);
  FUZZ_CHECK(frame.payload.pos <= frame.payload.len);
  load_report_free(&report);
  handler_statement_free(&statement);
}

/* Takes what is whole, and appends it to the bytes that an encoder writes for it. */
static size_t take(struct frame_decoder *decoder, struct buf *encoded) {
  struct frame frame;
  size_t count = 0;
  for (; frame_decoder_next(decoder, &frame); count++) {
    const struct buf payload = {.data = (char *)frame.payload.data, .len = frame.payload.len};
    FUZZ_CHECK(strcmp(frame_type_name(frame.type), "unknown") != 0);
    frame_encode(encoded, frame.type, frame.task, &payload);
    read_payload(frame);
  }
  return count;
}

/* Pieces of at most so many bytes; 0: all at once. */
static size_t feed(const char *bytes, size_t length, size_t most, struct buf *encoded, bool *broken) {
  struct frame_decoder decoder = {0};
  size_t count = 0;
  for (size_t at = 0; at < length;) {
    size_t piece = most ? fuzz_random() % most + 1 : length;
    if (piece > length - at) piece = length - at;
    char *copy = malloc(piece);
    memcpy(copy, bytes + at, piece);
    frame_decoder_feed(&decoder, copy, piece);
    free(copy);
    count += take(&decoder, encoded);
    at += piece;
  }
  *broken = decoder.broken;
  frame_decoder_free(&decoder);
  return count;
}

enum { LONG = 500 /* more is not fed byte by byte */ };

bool fuzz_one(const uint8_t *bytes, size_t length) {
  static const size_t pieces[] = {1, 7, 100};
  struct buf whole = {0};
  bool broken = false;
  size_t count = feed((const char *)bytes, length, 0, &whole, &broken);
  FUZZ_CHECK(whole.len <= length && (whole.len == 0 || memcmp(whole.data, bytes, whole.len) == 0));
  for (size_t i = length > LONG; i < sizeof pieces / sizeof *pieces; i++) {
    struct buf cut = {0};
    bool cut_broken = false;
    FUZZ_CHECK(feed((const char *)bytes, length, pieces[i], &cut, &cut_broken) == count);
    FUZZ_CHECK(cut.len == whole.len && (cut.len == 0 || memcmp(cut.data, whole.data, cut.len) == 0));
    FUZZ_CHECK(cut_broken == broken);
    buf_free(&cut);
  }
  buf_free(&whole);
  return count > 0;
}
