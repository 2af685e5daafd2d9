/* Reading a pipe line by line. */
#include "worker/pool/output_lines.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { LINE_MAX_LENGTH = 8192 };

struct output_lines {
  uv_pipe_t pipe;
  output_line line;
  void (*ended)(void *owner);
  void *owner;
  bool closing;
  size_t length;
  char pending[LINE_MAX_LENGTH + 1];
  char read_buffer[16384];
};

static void report(struct output_lines *lines) {
  lines->pending[lines->length] = '\0';
  lines->length = 0;
  lines->line(lines->owner, lines->pending);
}

static void feed(struct output_lines *lines, const char *bytes, size_t length) {
  for (size_t i = 0; i < length && !lines->closing; i++) {
    if (bytes[i] == '\n') {
      report(lines);
      continue;
    }
    if (lines->length == LINE_MAX_LENGTH) report(lines);
    lines->pending[lines->length++] = bytes[i] ? bytes[i] : ' ';
  }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  struct output_lines *lines = handle->data;
  (void)suggested;
  *out = uv_buf_init(lines->read_buffer, sizeof lines->read_buffer);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *bytes) {
  struct output_lines *lines = stream->data;
  if (length > 0) feed(lines, bytes->base, (size_t)length);
  if (length >= 0) return;
  uv_read_stop(stream);
  if (lines->length) report(lines);
  if (!lines->closing) lines->ended(lines->owner);
}

struct output_lines *output_lines_new(uv_loop_t *loop, output_line line, void (*ended)(void *owner), void *owner) {
  struct output_lines *lines = xcalloc(1, sizeof *lines);
  uv_pipe_init(loop, &lines->pipe, 0);
  lines->pipe.data = lines;
  lines->line = line;
  lines->ended = ended;
  lines->owner = owner;
  return lines;
}

uv_stream_t *output_lines_stream(struct output_lines *lines) { return (uv_stream_t *)&lines->pipe; }

void output_lines_start(struct output_lines *lines) { uv_read_start((uv_stream_t *)&lines->pipe, on_alloc, on_read); }

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void output_lines_close(struct output_lines *lines) {
  if (lines->closing) return;
  lines->closing = true;
  uv_close((uv_handle_t *)&lines->pipe, on_closed);
}
