/* Sets the process up and turns the loop. libuv's callbacks only gather frames; everything that may run Lua happens
 * between two turns, so that results are written as soon as a handler ends and before the next one runs. */
#include "executor/executor.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "base/build_id.h"
#include "base/say.h"
#include "base/xalloc.h"
#include "executor/bind/bindings.h"
#include "executor/bind/http_client.h"
#include "executor/isolation.h"
#include "executor/load.h"
#include "executor/place.h"
#include "executor/state.h"
#include "executor/task.h"

enum { CHANNEL_FD = 3, SNAPSHOT_FD = 4, PULSE_FD = 5 };

struct message {
  enum frame_type type;
  uint64_t task;
  struct buf payload;
  struct message *prev, *next;
};

struct executor {
  struct runtime runtime;
  struct message *inbox; /* list, oldest first */
  bool broken;           /* a frame that no host writes */
};

/* The kernel ends this process with its host; a host that died before that was arranged is not the parent any more. */
static bool tie_to_host(void) {
  struct ucred host;
  socklen_t size = sizeof host;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getsockopt(CHANNEL_FD, SOL_SOCKET, SO_PEERCRED, &host, &size) < 0) return false;
  return host.pid == getppid();
}

/* What handlers start must not hold the channel open. */
static void hide_from_children(void) {
  fcntl(CHANNEL_FD, F_SETFD, FD_CLOEXEC);
  fcntl(SNAPSHOT_FD, F_SETFD, FD_CLOEXEC);
}

/* A handler's crash ends the process by its signal; the address sanitizer would make an abort of it. */
static void leave_crashes_alone(void) {
#ifdef __SANITIZE_ADDRESS__
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
#endif
}

/* False if there is no such task, or not yet. */
static bool cancel(struct runtime *runtime, uint64_t number) {
  struct coroutine *task = runtime->sched ? sched_find(runtime->sched, number) : NULL;
  if (task) task->cancelled = true;
  return task != NULL;
}

/* What a handler that does not yield is to see as well: see runtime_listen. */
static bool note(struct runtime *runtime, const struct frame *frame) {
  if (frame->type == FRAME_STOPPING) return runtime->stopping = true;
  return frame->type == FRAME_CANCELLED && cancel(runtime, frame->task);
}

static void on_frame(void *owner, struct frame *frame) {
  struct executor *executor = owner;
  if (note(&executor->runtime, frame)) return;
  struct message *message = xcalloc(1, sizeof *message);
  message->type = frame->type;
  message->task = frame->task;
  buf_put(&message->payload, frame->payload.data, frame->payload.len);
  DL_APPEND(executor->inbox, message);
}

static void on_closed(void *owner) {
  struct executor *executor = owner;
  executor->runtime.closed = true;
}

static bool open_channel(struct executor *executor) {
  static const struct channel_events events = {.frame = on_frame, .closed = on_closed};
  struct runtime *runtime = &executor->runtime;
  uv_pipe_t *pipe = xmalloc(sizeof *pipe);
  uv_loop_init(&runtime->loop);
  uv_pipe_init(&runtime->loop, pipe, 0);
  if (uv_pipe_open(pipe, CHANNEL_FD) < 0) {
    uv_close((uv_handle_t *)pipe, (uv_close_cb)free);
    uv_run(&runtime->loop, UV_RUN_DEFAULT);
    uv_loop_close(&runtime->loop);
    return false;
  }
  runtime->channel = channel_new(pipe, &events, executor);
  return true;
}

static void on_child(uv_signal_t *handle, int number) {
  (void)handle;
  (void)number;
}

/* libuv would set the signal's action with the first program and take it back with the last one, like a handler that
 * changes the process. */
static void watch_children(struct runtime *runtime) {
  uv_signal_init(&runtime->loop, &runtime->children);
  uv_signal_start(&runtime->children, on_child, SIGCHLD);
  uv_unref((uv_handle_t *)&runtime->children);
}

static void send_hello(struct runtime *runtime) {
  struct buf payload = {0};
  buf_put_str(&payload, build_id());
  buf_put_i64(&payload, getpid());
  runtime_send(runtime, FRAME_HELLO, 0, &payload);
  buf_free(&payload);
}

static void abandon(struct runtime *runtime, uint64_t number) {
  struct coroutine *task = sched_find(runtime->sched, number);
  struct buf place = {0}, payload = {0};
  if (task) place_of_wait(task->co, &place);
  if (task) sched_abandon(task);
  runtime_put_clean(&payload, (struct text){.bytes = place.len > 0 ? place.data : "", .length = place.len});
  runtime_send(runtime, FRAME_ABANDONED, number, &payload);
  buf_free(&place);
  buf_free(&payload);
}

static bool reply(struct runtime *runtime, uint64_t number, struct cursor *payload) {
  struct text input = cursor_text(payload), error = cursor_text(payload);
  if (payload->bad) return false;
  flow_input_reply(runtime, number, input, error);
  return true;
}

/* False when the host cannot mean it. */
static bool dispatch(struct runtime *runtime, enum frame_type type, uint64_t task, struct cursor *payload) {
  bool loaded = runtime->L && runtime->mode == LOAD_FLOWS;
  switch (type) {
    case FRAME_LOAD:
      return executor_load(runtime, payload);
    case FRAME_TASK:
      return loaded && runtime->handlers && task_start(runtime, task, payload);
    case FRAME_FLOW_INPUT_REPLY:
      return loaded && reply(runtime, task, payload);
    case FRAME_QUERY_REPLY:
      if (runtime->sched) query_reply(runtime, task, payload);
      return runtime->sched && !payload->bad;
    case FRAME_ABANDON:
      if (loaded) abandon(runtime, task);
      return loaded;
    case FRAME_CANCELLED: /* of a task whose start was before it in the inbox, or of one that has ended */
      cancel(runtime, task);
      return loaded;
    case FRAME_STOPPING: /* noted already */
    case FRAME_HELLO:
    case FRAME_LOADING:
    case FRAME_LOADED:
    case FRAME_PROBLEMS:
    case FRAME_RESULT:
    case FRAME_ABANDONED:
    case FRAME_LOG:
    case FRAME_FLOW_INPUT:
    case FRAME_QUERY:
    case FRAME_CHANGED:
    case FRAME_EXIT:
      return false;
  }
  return false;
}

static void free_message(struct executor *executor, struct message *message) {
  DL_DELETE(executor->inbox, message);
  buf_free(&message->payload);
  free(message);
}

static void empty_inbox(struct executor *executor) {
  while (executor->inbox && !executor->broken) {
    struct message *message = executor->inbox;
    struct cursor payload = {.data = message->payload.data, .len = message->payload.len};
    executor->broken = !dispatch(&executor->runtime, message->type, message->task, &payload);
    if (executor->broken) say(stderr, "luaflow: executor: unexpected frame %s\n", frame_type_name(message->type));
    free_message(executor, message);
  }
}

static void turn(struct executor *executor) {
  struct runtime *runtime = &executor->runtime;
  while (!runtime->closed && !runtime->ended && !executor->broken) {
    bool busy = executor->inbox || (runtime->sched && sched_has_ready(runtime->sched));
    uv_run(&runtime->loop, busy ? UV_RUN_NOWAIT : UV_RUN_ONCE);
    empty_inbox(executor);
    if (runtime->sched) sched_step(runtime->sched);
  }
}

static void tear_down(struct executor *executor) {
  struct runtime *runtime = &executor->runtime;
  while (executor->inbox) free_message(executor, executor->inbox);
  sched_free(runtime->sched);
  runtime->sched = NULL;
  http_client_free(runtime->http);
  isolation_free(runtime->isolation);
  state_leave(runtime);
  channel_close(runtime->channel);
  uv_close((uv_handle_t *)&runtime->children, NULL);
  uv_run(&runtime->loop, UV_RUN_DEFAULT);
  uv_loop_close(&runtime->loop);
  modules_free(runtime->modules);
  pulse_free(runtime->pulse);
  free(runtime->root);
}

int executor_main(void) {
  struct executor executor = {0};
  struct runtime *runtime = &executor.runtime;
  if (!tie_to_host()) return EXIT_FAILURE;
  runtime->pid = getpid();
  leave_crashes_alone();
  runtime->pulse = pulse_open(PULSE_FD);
  if (!runtime->pulse) return EXIT_FAILURE;
  close(PULSE_FD);
  hide_from_children();
  if (!open_channel(&executor)) return EXIT_FAILURE;
  watch_children(runtime);
  send_hello(runtime);
  turn(&executor);
  if (runtime->ended) state_exit(runtime, runtime->exit_code, true);
  tear_down(&executor);
  return executor.broken ? EXIT_FAILURE : EXIT_SUCCESS;
}
