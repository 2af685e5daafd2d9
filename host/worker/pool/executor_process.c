/* The life of one executor process. */
#include "worker/pool/executor_process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/channel.h"
#include "base/process_start.h"
#include "base/xalloc.h"
#include "worker/pool/executor_spawn.h"
#include "worker/pool/output_lines.h"
#include "worker/pool/session.h"

enum {
  LOAD_MS = 30000,
  LOAD_TICK_MS = 100,    /* from look to look while it loads */
  REPORT_MAX = 64 << 20, /* bytes of what it says when it has loaded: all registries, and definitions for editors */
  STOP_MS = 2000,        /* from a closed channel to SIGKILL */
  LAST_WORDS_MS = 500,   /* how long a dead executor's pipes are read, in case a grandchild holds them open */
};

struct executor_process {
  uv_process_t process;
  uv_timer_t timer; /* looks while it loads, SIGKILL after a stop, end of the last words; never two at once */
  struct channel *channel;
  struct pulse *pulse;
  struct output_lines *output[2]; /* stdout, stderr; NULL for scripts */
  struct buf load;                /* the LOAD frame, sent after HELLO */
  char *loading;                  /* which module; NULL before the first */
  int load_ticks;                 /* looks since it was started */
  int64_t executor_memory;        /* see executor_options.h */
  struct executor_events events;
  void *owner;
  struct executor_exit exit;
  char kill_reason[sizeof((struct executor_exit *)0)->reason]; /* "": it was not killed for one */
  bool kill_is_asked;                                          /* by executor_process_kill_for */
  size_t frame_limit;                                          /* bytes of a frame's payload, once it has loaded */
  bool is_script;                                              /* else it leads its session and process group */
  bool greeted;
  bool reaped;
  bool reported; /* exited was called */
  bool channel_ended;
  int lines_open;
  int open_handles;
};

/* ---- the end ---- */

static void report_exit(struct executor_process *process) {
  if (!process->reaped || process->reported) return;
  process->reported = true;
  uv_timer_stop(&process->timer);
  process->events.exited(process->owner, &process->exit);
}

static void check_ended(struct executor_process *process) {
  if (process->channel_ended && process->lines_open == 0) report_exit(process);
}

static void on_last_words_over(uv_timer_t *timer) { report_exit(timer->data); }

/* A kill that came too late is not what ended it. */
static void set_reason(struct executor_exit *end, const char *kill_reason) {
  const char *name = end->signal ? sigabbrev_np(end->signal) : NULL;
  const char *description = end->signal ? sigdescr_np(end->signal) : NULL;
  if (end->signal == SIGKILL && *kill_reason)
    snprintf(end->reason, sizeof end->reason, "%s", kill_reason);
  else if (name && description)
    snprintf(end->reason, sizeof end->reason, "was killed by SIG%s (%c%s)", name, tolower(*description),
             description + 1);
  else if (end->signal)
    snprintf(end->reason, sizeof end->reason, "was killed by signal %d", end->signal);
  else
    snprintf(end->reason, sizeof end->reason, "exited with code %d", (int)end->code);
}

static void on_reaped(uv_process_t *handle, int64_t code, int signal) {
  struct executor_process *process = handle->data;
  process->reaped = true;
  process->exit.code = code;
  process->exit.signal = signal;
  process->exit.by_host = signal == SIGKILL && process->kill_is_asked;
  set_reason(&process->exit, process->kill_reason);
  if (!process->is_script) session_kill(handle->pid);
  uv_timer_start(&process->timer, on_last_words_over, LAST_WORDS_MS, 0);
  check_ended(process);
}

void executor_process_kill(struct executor_process *process) {
  if (process->reaped) return;
  kill(process->is_script ? process->process.pid : -process->process.pid, SIGKILL);
}

void executor_process_kill_for(struct executor_process *process, const char *reason) {
  snprintf(process->kill_reason, sizeof process->kill_reason, "%s", reason);
  process->kill_is_asked = true;
  executor_process_kill(process);
}

static void on_stop_over(uv_timer_t *timer) { executor_process_kill(timer->data); }

void executor_process_stop(struct executor_process *process) {
  if (process->channel) channel_close(process->channel);
  process->channel = NULL;
  process->channel_ended = true;
  if (process->reaped)
    check_ended(process);
  else
    uv_timer_start(&process->timer, on_stop_over, STOP_MS, 0);
}

static void on_handle_closed(uv_handle_t *handle) {
  struct executor_process *process = handle->data;
  if (--process->open_handles > 0) return;
  buf_free(&process->load);
  free(process->loading);
  pulse_free(process->pulse);
  free(process);
}

void executor_process_free(struct executor_process *process) {
  if (!process) return;
  executor_process_kill(process);
  if (process->channel) channel_close(process->channel);
  for (int i = 0; i < 2; i++)
    if (process->output[i]) output_lines_close(process->output[i]);
  uv_close((uv_handle_t *)&process->timer, on_handle_closed);
  if (uv_handle_get_type((uv_handle_t *)&process->process) != UV_UNKNOWN_HANDLE)
    uv_close((uv_handle_t *)&process->process, on_handle_closed);
}

/* ---- frames and lines ---- */

static void on_hello(struct executor_process *process, struct cursor *payload) {
  struct text build = cursor_text(payload);
  const char *own = build_id();
  if (process->greeted) {
    executor_process_kill_for(process, "sent a second hello");
    return;
  }
  if (!build.bytes || build.length != strlen(own) || memcmp(build.bytes, own, build.length) != 0) {
    executor_process_kill_for(process, "is from another build");
    return;
  }
  process->greeted = true;
  channel_send(process->channel, FRAME_LOAD, 0, &process->load);
  buf_free(&process->load);
}

static void on_loading(struct executor_process *process, struct cursor *payload) {
  struct text module = cursor_text(payload), path = cursor_text(payload);
  if (payload->bad || !module.bytes || !path.bytes) return;
  free(process->loading);
  process->loading = xasprintf("%.*s (module %.*s)", (int)path.length, path.bytes, (int)module.length, module.bytes);
}

static void on_loaded(struct executor_process *process, struct frame *frame) {
  struct load_report report = {0};
  bool good = frame->type == FRAME_LOADED ? load_report_read_loaded(&report, &frame->payload)
                                          : load_report_read_problems(&report, &frame->payload);
  uv_timer_stop(&process->timer);
  channel_limit(process->channel, process->frame_limit);
  if (good)
    process->events.loaded(process->owner, &report);
  else
    executor_process_kill_for(process, "sent a broken report");
  load_report_free(&report);
}

static void on_frame(void *owner, struct frame *frame) {
  struct executor_process *process = owner;
  switch (frame->type) {
    case FRAME_HELLO:
      on_hello(process, &frame->payload);
      return;
    case FRAME_LOADING:
      on_loading(process, &frame->payload);
      return;
    case FRAME_LOADED:
    case FRAME_PROBLEMS:
      on_loaded(process, frame);
      return;
    case FRAME_RESULT:
    case FRAME_ABANDONED:
    case FRAME_LOG:
    case FRAME_FLOW_INPUT:
    case FRAME_QUERY:
    case FRAME_CHANGED:
    case FRAME_EXIT:
      process->events.frame(process->owner, frame);
      return;
    case FRAME_LOAD:
    case FRAME_TASK:
    case FRAME_FLOW_INPUT_REPLY:
    case FRAME_QUERY_REPLY:
    case FRAME_ABANDON:
    case FRAME_CANCELLED:
    case FRAME_STOPPING:
      executor_process_kill_for(process, "sent a frame that only the host sends");
      return;
  }
}

/* It is killed, and looked for until it has been reaped: a library of this process may have taken SIGCHLD. Whatever
 * runs by then is not to blame. */
static void on_channel_over(uv_timer_t *timer) {
  struct executor_process *process = timer->data;
  if (!*process->kill_reason)
    snprintf(process->kill_reason, sizeof process->kill_reason, "closed its channel to the host");
  executor_process_kill(process);
  raise(SIGCHLD);
}

/* The channel of a living executor ends only when it is about to die, or has written rubbish. */
static void on_channel_closed(void *owner) {
  struct executor_process *process = owner;
  process->channel_ended = true;
  if (channel_is_broken(process->channel))
    executor_process_kill_for(process, "sent a frame that it cannot send, or one larger than --max-output");
  if (!process->reaped) uv_timer_start(&process->timer, on_channel_over, STOP_MS, STOP_MS);
  check_ended(process);
}

static void on_stdout_line(void *owner, const char *line) {
  struct executor_process *process = owner;
  if (process->events.line) process->events.line(process->owner, false, line);
}

static void on_stderr_line(void *owner, const char *line) {
  struct executor_process *process = owner;
  if (process->events.line) process->events.line(process->owner, true, line);
}

static void on_lines_ended(void *owner) {
  struct executor_process *process = owner;
  process->lines_open--;
  check_ended(process);
}

void executor_process_send(struct executor_process *process, enum frame_type type, uint64_t task,
                           const struct buf *payload) {
  if (process->channel) channel_send(process->channel, type, task, payload);
}

struct pulse_state executor_process_pulse(const struct executor_process *process) {
  return pulse_read(process->pulse);
}

void executor_process_ask_place(struct executor_process *process) {
  if (!process->reaped && !process->is_script) kill(process->process.pid, SIGPROF);
}

void executor_process_place(const struct executor_process *process, uint64_t task, char place[PULSE_PLACE_MAX]) {
  pulse_place(process->pulse, task, place);
}

void executor_process_finalizer_place(const struct executor_process *process, char place[PULSE_FINALIZER_MAX]) {
  pulse_finalizer_place(process->pulse, place);
}

/* The beginning of its file of that name in /proc, terminated. */
static bool read_proc(const struct executor_process *process, const char *name, char text[], size_t size) {
  char path[32];
  if (process->reaped) return false;
  snprintf(path, sizeof path, "/proc/%d/%s", process->process.pid, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* The state follows the program's name in parentheses, which can have any of its own. */
bool executor_process_is_stopped(const struct executor_process *process) {
  char text[128];
  if (!read_proc(process, "stat", text, sizeof text)) return false;
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

int64_t executor_process_memory(const struct executor_process *process) {
  char text[128];
  long long size, resident;
  if (!read_proc(process, "statm", text, sizeof text)) return 0;
  return sscanf(text, "%lld %lld", &size, &resident) == 2 ? resident * sysconf(_SC_PAGESIZE) : 0;
}

/* ---- the beginning ---- */

static void put_load(struct buf *load, const struct executor_options *options) {
  buf_put_u8(load, (uint8_t)options->mode);
  buf_put_str(load, options->root);
  buf_put_u8(load, options->development);
  buf_put_i64(load, options->max_output);
  buf_put_u8(load, 0);
  buf_put_u32(load, (uint32_t)options->entry_count);
  for (size_t i = 0; i < options->entry_count; i++) buf_put_str(load, options->entries[i]);
  if (options->mode != LOAD_TYPES) return;
  buf_put_u32(load, (uint32_t)options->sample_count);
  for (size_t i = 0; i < options->sample_count; i++) buf_put_str(load, options->samples[i]);
}

static void end_load(struct executor_process *process, const char *why) {
  char reason[sizeof process->kill_reason];
  uv_timer_stop(&process->timer);
  snprintf(reason, sizeof reason, "%s%s%s", why, process->loading ? ": it did not finish " : "",
           process->loading ? process->loading : "");
  executor_process_kill_for(process, reason);
}

static void on_load_tick(uv_timer_t *timer) {
  static const double mb = 1024 * 1024;
  struct executor_process *process = timer->data;
  int64_t limit = process->executor_memory;
  char why[96];
  if (limit && executor_process_memory(process) > limit + limit / 2) {
    snprintf(why, sizeof why, "used more than %.4g MB (--executor-memory) while it loaded", (double)limit / mb);
    end_load(process, why);
  } else if (++process->load_ticks >= LOAD_MS / LOAD_TICK_MS) {
    snprintf(why, sizeof why, "did not load within %d s", LOAD_MS / 1000);
    end_load(process, why);
  }
}

static uv_pipe_t *new_channel_pipe(uv_loop_t *loop) {
  uv_pipe_t *pipe = xcalloc(1, sizeof *pipe);
  uv_pipe_init(loop, pipe, 0);
  return pipe;
}

/* The pipes that it writes lines to; a script has the caller's streams. */
static void make_output(struct executor_process *process, uv_loop_t *loop) {
  process->output[0] = output_lines_new(loop, on_stdout_line, on_lines_ended, process);
  process->output[1] = output_lines_new(loop, on_stderr_line, on_lines_ended, process);
}

/* Makes the process and the host's ends of what it inherits. Returns a negative error of libuv. */
static int start(struct executor_process *process, uv_loop_t *loop, const struct executor_options *options,
                 uv_pipe_t *pipe) {
  struct executor_streams streams = {.channel = (uv_stream_t *)pipe};
  process->pulse = pulse_new(&streams.pulse);
  if (!process->pulse) return -errno;
  if (!process->is_script) make_output(process, loop);
  for (int i = 0; i < 2; i++)
    if (process->output[i]) streams.output[i] = output_lines_stream(process->output[i]);
  int status = executor_spawn(loop, &process->process, options, &streams, on_reaped);
  close(streams.pulse);
  if (uv_handle_get_type((uv_handle_t *)&process->process) != UV_UNKNOWN_HANDLE) process->open_handles++;
  return status;
}

struct executor_process *executor_process_new(uv_loop_t *loop, const struct executor_options *options,
                                              const struct executor_events *events, void *owner, struct err *err) {
  static const struct channel_events channel_events = {.frame = on_frame, .closed = on_channel_closed};
  struct executor_process *process = xcalloc(1, sizeof *process);
  uv_pipe_t *pipe = new_channel_pipe(loop);
  process->events = *events;
  process->owner = owner;
  process->is_script = options->mode == LOAD_SCRIPT;
  process->open_handles = 1;
  process->process.data = process;
  process->timer.data = process;
  uv_timer_init(loop, &process->timer);
  int status = start(process, loop, options, pipe);
  process->channel = channel_new(pipe, &channel_events, process);
  if (status < 0) {
    err_set(err, ERR_RETRY, EXIT_FAILED, "cannot start an executor: %s", uv_strerror(status));
    process_lacks_files(-status, err);
    process->reaped = true; /* there is nothing to kill */
    executor_process_free(process);
    return NULL;
  }
  process->frame_limit = (size_t)options->max_output + FRAME_EXTRA;
  channel_limit(process->channel, process->frame_limit > REPORT_MAX ? process->frame_limit : REPORT_MAX);
  put_load(&process->load, options);
  for (int i = 0; i < 2 && !process->is_script; i++) {
    output_lines_start(process->output[i]);
    process->lines_open++;
  }
  process->executor_memory = options->executor_memory;
  if (!process->is_script) uv_timer_start(&process->timer, on_load_tick, LOAD_TICK_MS, LOAD_TICK_MS);
  return process;
}
