/* Frames between host and executor: the kinds with their payloads, and a pure decoder that can be fed any pieces.
 * Knows nothing of sockets. Payload fields are written with buf_put_* in the order listed. */
#ifndef LUAFLOW_BASE_FRAME_H
#define LUAFLOW_BASE_FRAME_H

#include "base/buf.h"

/* Payloads. text may be null where marked "?"; json is a text.
 *
 * host -> executor
 *   LOAD        u8 mode (enum load_mode), text root (absolute folder), u8 development, i64 max_output (bytes),
 *               u8 stopping is 0, u32 n, n * text entry: path below the root, '/'-separated, as given (a .lua file
 *               or a folder; "" is the root).
 *               LOAD_TYPES: the same, then u32 n, n * text samples (see lua/luaflow/types.lua), and LOADED has the
 *               flows' definitions for editors.
 *               LOAD_SCRIPT instead: text root, u8 development, i64 max_output, u8 0, u32 n, text script path,
 *               n-1 * text argument.
 *   TASK        task number in the header; text flow_slug, text step_slug, text run_id, i64 task_index, i64 attempt,
 *               i64 max_attempts, text queue, text worker_id, f64 deadline (epoch seconds), json input,
 *               u8 the input is the run's as well, json? flow_input (of another run input)
 *   FLOW_INPUT_REPLY  json? input, text? error            answers FLOW_INPUT of the same task
 *   QUERY_REPLY u8 1, i64 n, u32 columns, columns * (text name, u32 type's OID), u32 rows, rows * columns * text?
 *               value; or
 *               u8 0, text message and text? each of sqlstate, detail, hint, constraint, table, column, schema.
 *               answers QUERY of the same task
 *   ABANDON     the task's coroutine must be ended; answered by ABANDONED, after a RESULT if that came first
 *   CANCELLED   the task's run was cancelled: its ctx:cancelled() is true from now on
 *   STOPPING    the worker drains: ctx:stopping() is true from now on
 * executor -> host
 *   HELLO       text build_id, i64 pid                    first frame
 *   LOADING     text module, text path                 the load continues with this file
 *   LOADED      text digest, u32 n, n * (text queue, text name, json registry (see lua/luaflow/registry.lua)),
 *               u32 m, m * (text file name, text content): definitions for editors; none unless LOAD_TYPES,
 *               u32 k, k * (text flow, text step): the steps with a transaction
 *   PROBLEMS    u32 n, n * (text code, text message, text? file, i64 line or 0, text? flow, text? step, text? hint)
 *   RESULT      u8 outcome (enum outcome), json? output, text? message, text? detail (stored, not logged),
 *               f64 delay in seconds or -1
 *   ABANDONED   text where it waited (", waiting in ..."), or empty: no Lua of the task will run any more
 *   LOG         u8 level (enum log_level), text message, json? fields; task 0: not of a task
 *   FLOW_INPUT  no payload: asks for the input of the task's run
 *   QUERY       u8 1 inside the task's transaction, text sql, u32 n, n * text? parameter; one at a time for each task
 *   CHANGED     text changed, text? of that what could not be put back, u8 no other task can have done it: the task, or
 *               one shortly before it, has changed the executor's process
 *   EXIT        i64 code: a script has ended (LOAD_SCRIPT alone)
 */
#define FRAME_TYPES(X) \
  X(LOAD)              \
  X(TASK)              \
  X(FLOW_INPUT_REPLY)  \
  X(QUERY_REPLY)       \
  X(ABANDON)           \
  X(CANCELLED)         \
  X(STOPPING)          \
  X(HELLO)             \
  X(LOADING)           \
  X(LOADED)            \
  X(PROBLEMS)          \
  X(RESULT)            \
  X(ABANDONED)         \
  X(LOG)               \
  X(FLOW_INPUT)        \
  X(QUERY)             \
  X(CHANGED)           \
  X(EXIT)

enum frame_type {
#define X(name) FRAME_##name,
  FRAME_TYPES(X)
#undef X
};

enum load_mode { LOAD_FLOWS, LOAD_SCRIPT, LOAD_TYPES };

enum outcome {
  OUTCOME_COMPLETED, /* output; message: null, or what the database will say against the output's type */
  OUTCOME_FAILED,    /* message; delay: -1 for backoff, else exactly that many seconds */
  OUTCOME_PERMANENT, /* message: no more attempts */
  OUTCOME_SNOOZED,   /* message, delay: costs no attempt */
};

enum {
  FRAME_HEADER_SIZE = 16,
  FRAME_MAX = 1 << 30,
  FRAME_MESSAGE_MAX = 256 << 10, /* bytes of a message or a detail; an executor cuts what is longer */
  FRAME_EXTRA = 2 << 20,         /* what an executor's frame may have beyond --max-output: messages and names */
};

/* A decoded frame; the payload is valid until the next call on the decoder. */
struct frame {
  enum frame_type type;
  uint64_t task;
  struct cursor payload;
};

/* Appends a whole frame to out. */
void frame_encode(struct buf *out, enum frame_type type, uint64_t task, const struct buf *payload);

struct frame_decoder {
  struct buf pending; /* bytes fed and not yet taken */
  size_t taken;
  size_t limit; /* bytes of a payload; 0: FRAME_MAX */
  bool broken;  /* a header that no encoder writes, or a payload above the limit: the channel is unusable */
};

void frame_decoder_feed(struct frame_decoder *decoder, const char *bytes, size_t length);
/* True with the next whole frame; false when more bytes are needed or the decoder is broken. */
bool frame_decoder_next(struct frame_decoder *decoder, struct frame *frame);
void frame_decoder_free(struct frame_decoder *decoder);
const char *frame_type_name(enum frame_type type);

#endif
