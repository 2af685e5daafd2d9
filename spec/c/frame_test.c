/* The frame decoder: fed in any pieces, and with headers that no encoder writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/frame.h"

/* Three frames: a payload, none, and a long one. */
static struct buf sample(void) {
  struct buf out = {0}, payload = {0};
  buf_put_str(&payload, "first");
  frame_encode(&out, FRAME_HELLO, 0, &payload);
  frame_encode(&out, FRAME_ABANDON, UINT64_MAX, NULL);
  buf_clear(&payload);
  for (int i = 0; i < 300; i++) buf_put_u8(&payload, (uint8_t)i);
  frame_encode(&out, FRAME_RESULT, 42, &payload);
  buf_free(&payload);
  return out;
}

/* Takes what is whole and checks it; returns how many frames have been seen by now. */
static int take(struct frame_decoder *decoder, int seen) {
  struct frame frame;
  while (frame_decoder_next(decoder, &frame)) {
    if (seen == 0) {
      assert_int_equal(frame.type, FRAME_HELLO);
      struct text text = cursor_text(&frame.payload);
      assert_int_equal(text.length, 5);
      assert_memory_equal(text.bytes, "first", 5);
    } else if (seen == 1) {
      assert_int_equal(frame.type, FRAME_ABANDON);
      assert_true(frame.task == UINT64_MAX);
      assert_int_equal(frame.payload.len, 0);
    } else {
      assert_int_equal(frame.type, FRAME_RESULT);
      assert_true(frame.task == 42);
      assert_int_equal(frame.payload.len, 300);
      for (int i = 0; i < 300; i++) assert_int_equal(cursor_u8(&frame.payload), i % 256);
    }
    seen++;
  }
  assert_false(decoder->broken);
  return seen;
}

static void decodes_frames_cut_at_every_byte(void **state) {
  struct buf bytes = sample();
  (void)state;
  for (size_t cut = 0; cut <= bytes.len; cut++) {
    struct frame_decoder decoder = {0};
    frame_decoder_feed(&decoder, bytes.data, cut);
    int seen = take(&decoder, 0);
    frame_decoder_feed(&decoder, bytes.data + cut, bytes.len - cut);
    assert_int_equal(take(&decoder, seen), 3);
    frame_decoder_free(&decoder);
  }
  buf_free(&bytes);
}

static void decodes_frames_byte_by_byte(void **state) {
  struct buf bytes = sample();
  struct frame_decoder decoder = {0};
  int seen = 0;
  (void)state;
  for (size_t i = 0; i < bytes.len; i++) {
    frame_decoder_feed(&decoder, bytes.data + i, 1);
    seen = take(&decoder, seen);
  }
  assert_int_equal(seen, 3);
  frame_decoder_free(&decoder);
  buf_free(&bytes);
}

/* A header as the encoder lays it out: length, type, task number. */
static bool breaks_at(size_t limit, uint32_t length, uint32_t type) {
  struct frame_decoder decoder = {.limit = limit};
  struct buf bytes = {0};
  struct frame frame;
  buf_put_u32(&bytes, length);
  buf_put_u32(&bytes, type);
  buf_put_i64(&bytes, 1);
  frame_decoder_feed(&decoder, bytes.data, bytes.len);
  assert_false(frame_decoder_next(&decoder, &frame));
  bool broken = decoder.broken;
  frame_decoder_feed(&decoder, bytes.data, bytes.len);
  assert_false(frame_decoder_next(&decoder, &frame));
  frame_decoder_free(&decoder);
  buf_free(&bytes);
  return broken;
}

static bool breaks(uint32_t length, uint32_t type) { return breaks_at(0, length, type); }

static void refuses_what_is_above_its_limit(void **state) {
  (void)state;
  assert_false(breaks_at(1000, 1000, FRAME_RESULT));
  assert_true(breaks_at(1000, 1001, FRAME_RESULT));
}

static void refuses_broken_headers(void **state) {
  (void)state;
  assert_true(breaks(0, FRAME_EXIT + 1));
  assert_true(breaks(0, UINT32_MAX));
  assert_true(breaks((uint32_t)FRAME_MAX + 1, FRAME_TASK));
  assert_true(breaks(UINT32_MAX, FRAME_TASK));
  assert_false(breaks(FRAME_MAX, FRAME_TASK)); /* only not there yet */
}

static void names_types(void **state) {
  (void)state;
  assert_string_equal(frame_type_name(FRAME_LOAD), "LOAD");
  assert_string_equal(frame_type_name(FRAME_EXIT), "EXIT");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decodes_frames_cut_at_every_byte),
      cmocka_unit_test(decodes_frames_byte_by_byte),
      cmocka_unit_test(refuses_broken_headers),
      cmocka_unit_test(refuses_what_is_above_its_limit),
      cmocka_unit_test(names_types),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
