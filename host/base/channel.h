/* Frames over a connected stream socket on a libuv loop. Used by both sides; knows no frame's meaning. */
#ifndef LUAFLOW_BASE_CHANNEL_H
#define LUAFLOW_BASE_CHANNEL_H

#include <uv.h>

#include "base/frame.h"

struct channel;

struct channel_events {
  void (*frame)(void *owner, struct frame *frame);
  /* The peer has ended or sent what no encoder writes; called once, nothing follows. The owner calls channel_close. */
  void (*closed)(void *owner);
};

/* Takes over pipe, an open uv_pipe_t on the heap, and starts reading. */
struct channel *channel_new(uv_pipe_t *pipe, const struct channel_events *events, void *owner);
/* Sends one frame; the payload is copied (NULL: none). After the peer has ended it does nothing. */
void channel_send(struct channel *channel, enum frame_type type, uint64_t task, const struct buf *payload);
/* Frames with a larger payload than that end the channel: they are refused by their header. */
void channel_limit(struct channel *channel, size_t bytes);
/* True if it has ended for what the peer sent. */
bool channel_is_broken(const struct channel *channel);
/* Bytes accepted by channel_send and not yet written. */
size_t channel_backlog(const struct channel *channel);
/* Writes what was accepted, then closes and frees. No event follows this call. */
void channel_close(struct channel *channel);

#endif
