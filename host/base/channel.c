/* Frames over a stream socket on a libuv loop. What is sent within one turn of the loop is gathered and written at
 * once in the next, which does not wait. */
#include "base/channel.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum {
  READ_SIZE = 64 * 1024,
  KEEP_MAX = 1 << 20, /* a larger buffer is given back after its write */
  UNREAD_MAX =
      96 << 20 /* bytes that the peer has not taken: until it takes some, nothing more of it is read and answered */
};

struct channel {
  uv_pipe_t *pipe; /* owned */
  uv_idle_t flush; /* active while out holds bytes and nothing is being written */
  uv_write_t write;
  struct buf out;     /* accepted */
  struct buf written; /* being written; memory of the request in flight */
  bool writing;
  bool mute;    /* the peer takes nothing any more; what it sent before is still read */
  bool paused;  /* nothing is read: see UNREAD_MAX */
  bool gone;    /* the peer's end was reported */
  bool closing; /* channel_close was called; no event is reported any more */
  int open_handles;
  struct frame_decoder decoder;
  struct channel_events events;
  void *owner;
  char read_buffer[READ_SIZE];
};

static void on_handle_closed(uv_handle_t *handle) {
  struct channel *channel = handle->data;
  if (--channel->open_handles > 0) return;
  frame_decoder_free(&channel->decoder);
  buf_free(&channel->out);
  buf_free(&channel->written);
  free(channel->pipe);
  free(channel);
}

static void close_handles(struct channel *channel) {
  if (uv_is_closing((uv_handle_t *)channel->pipe)) return;
  uv_close((uv_handle_t *)channel->pipe, on_handle_closed);
  uv_close((uv_handle_t *)&channel->flush, on_handle_closed);
}

static void mute(struct channel *channel) {
  channel->mute = true;
  uv_idle_stop(&channel->flush);
  buf_clear(&channel->out);
}

static void peer_gone(struct channel *channel) {
  if (channel->gone) return;
  channel->gone = true;
  mute(channel);
  uv_read_stop((uv_stream_t *)channel->pipe);
  if (!channel->closing) channel->events.closed(channel->owner);
}

static void on_flush(uv_idle_t *handle);

/* Writes what is accepted; closes a closing channel that has nothing left. */
static void write_more(struct channel *channel) {
  uv_idle_stop(&channel->flush);
  if (channel->out.len && !channel->mute) {
    uv_idle_start(&channel->flush, on_flush);
    return;
  }
  if (channel->closing) close_handles(channel);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out);
static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *bytes);

/* A peer that asks without end and takes no answer must not fill the memory of this process. */
static void pause_or_resume(struct channel *channel) {
  bool pause = channel_backlog(channel) > UNREAD_MAX;
  if (pause == channel->paused || channel->closing || channel->gone) return;
  channel->paused = pause;
  if (pause)
    uv_read_stop((uv_stream_t *)channel->pipe);
  else if (uv_read_start((uv_stream_t *)channel->pipe, on_alloc, on_read) < 0)
    peer_gone(channel);
}

static void on_written(uv_write_t *request, int status) {
  struct channel *channel = request->handle->data;
  channel->writing = false;
  buf_clear(&channel->written);
  if (channel->written.cap > KEEP_MAX) buf_free(&channel->written);
  if (status < 0) mute(channel);
  pause_or_resume(channel);
  write_more(channel);
}

static void on_flush(uv_idle_t *handle) {
  struct channel *channel = handle->data;
  uv_idle_stop(handle);
  if (channel->writing || channel->mute || channel->out.len == 0) return;
  struct buf swap = channel->written;
  channel->written = channel->out;
  channel->out = swap;
  uv_buf_t bytes = uv_buf_init(channel->written.data, (unsigned)channel->written.len);
  int status = uv_write(&channel->write, (uv_stream_t *)channel->pipe, &bytes, 1, on_written);
  if (status < 0) {
    mute(channel);
    if (channel->closing) close_handles(channel);
    return;
  }
  channel->writing = true;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  struct channel *channel = handle->data;
  (void)suggested;
  *out = uv_buf_init(channel->read_buffer, READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t length, const uv_buf_t *bytes) {
  struct channel *channel = stream->data;
  struct frame frame;
  if (length == 0) return;
  if (length < 0) {
    peer_gone(channel);
    return;
  }
  frame_decoder_feed(&channel->decoder, bytes->base, (size_t)length);
  while (!channel->closing && frame_decoder_next(&channel->decoder, &frame))
    channel->events.frame(channel->owner, &frame);
  if (channel->decoder.broken) peer_gone(channel);
  pause_or_resume(channel);
}

struct channel *channel_new(uv_pipe_t *pipe, const struct channel_events *events, void *owner) {
  struct channel *channel = xcalloc(1, sizeof *channel);
  channel->pipe = pipe;
  channel->events = *events;
  channel->owner = owner;
  channel->open_handles = 2;
  pipe->data = channel;
  uv_idle_init(pipe->loop, &channel->flush);
  channel->flush.data = channel;
  if (uv_read_start((uv_stream_t *)pipe, on_alloc, on_read) < 0) channel->gone = true;
  return channel;
}

void channel_send(struct channel *channel, enum frame_type type, uint64_t task, const struct buf *payload) {
  if (channel->mute || channel->closing) return;
  frame_encode(&channel->out, type, task, payload);
  if (!channel->writing) uv_idle_start(&channel->flush, on_flush);
}

size_t channel_backlog(const struct channel *channel) {
  return channel->out.len + (channel->writing ? channel->written.len : 0);
}

void channel_limit(struct channel *channel, size_t bytes) { channel->decoder.limit = bytes; }

bool channel_is_broken(const struct channel *channel) { return channel->decoder.broken; }

void channel_close(struct channel *channel) {
  if (channel->closing) return;
  channel->closing = true;
  uv_read_stop((uv_stream_t *)channel->pipe);
  if (!channel->writing) write_more(channel);
}
