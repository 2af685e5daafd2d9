/* Runs one program by libuv. It is started through the executable itself (executor/exec_child), which gives it a
 * process group within the executor's session: the group is killed here, what is left of the session by the host. */
#include "executor/bind/program.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "executor/exec_child.h"

enum { DRAIN_MS = 500 /* for output that a process outside of its group holds open */ };

static void drop(struct program *program) {
  if (--program->holders > 0) return;
  for (int i = 0; i < PROGRAM_PIPES; i++) buf_free(&program->texts[i]);
  free(program);
}

static void on_closed(uv_handle_t *handle) {
  struct program *program = handle->data;
  if (--program->open_handles == 0) drop(program);
}

static void close_pipe(struct program *program, uv_pipe_t *pipe) {
  if (uv_is_closing((uv_handle_t *)pipe)) return;
  program->open_pipes--;
  uv_close((uv_handle_t *)pipe, on_closed);
}

static void close_all(struct program *program) {
  program->closing = true;
  for (int i = 0; i < PROGRAM_PIPES; i++) close_pipe(program, &program->pipes[i]);
  uv_close((uv_handle_t *)&program->timer, on_closed);
  if (program->has_process) uv_close((uv_handle_t *)&program->process, on_closed);
}

/* The group, or the process itself if it has none yet. Those of a program that has ended are what it left behind. */
static void kill_group(const struct program *program) {
  if (program->process.pid <= 0) return; /* it was not started */
  kill(-program->process.pid, SIGKILL);
  if (!program->exited) kill(program->process.pid, SIGKILL);
}

static void read_report(struct program *program) {
  const struct buf *report = &program->texts[PROGRAM_REPORT];
  if (report->len < sizeof program->error) return;
  memcpy(&program->error, report->data, sizeof program->error);
  program->failure = PROGRAM_NOT_STARTED;
}

static void finish(struct program *program) {
  void (*ended)(void *owner) = program->ended;
  read_report(program);
  close_all(program);
  program->ended = NULL;
  if (ended) ended(program->owner);
}

static void on_drained(uv_timer_t *timer) { finish(timer->data); }

static void finish_if_ended(struct program *program) {
  if (program->exited && program->open_pipes == 0 && !program->closing) finish(program);
}

static void on_exited(uv_process_t *process, int64_t code, int signal) {
  struct program *program = process->data;
  program->exited = true;
  program->code = code;
  program->signal = signal;
  kill_group(program);
  uv_timer_start(&program->timer, on_drained, DRAIN_MS, 0);
  finish_if_ended(program);
}

static void fail(struct program *program, enum program_failure failure) {
  if (program->failure == PROGRAM_GOOD) program->failure = failure;
  kill_group(program);
}

static void on_timeout(uv_timer_t *timer) { fail(timer->data, PROGRAM_TIMED_OUT); }

static void allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
  (void)handle;
  *buffer = uv_buf_init(xmalloc(suggested), (unsigned)suggested);
}

static size_t written(const struct program *program) {
  return program->texts[PROGRAM_OUTPUT].len + program->texts[PROGRAM_ERRORS].len;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
  struct program *program = stream->data;
  size_t index = (size_t)((uv_pipe_t *)stream - program->pipes);
  if (count > 0 && written(program) + (size_t)count > program->limit)
    fail(program, PROGRAM_TOO_LARGE);
  else if (count > 0)
    buf_put(&program->texts[index], buffer->base, (size_t)count);
  free(buffer->base);
  if (count >= 0) return;
  close_pipe(program, (uv_pipe_t *)stream);
  finish_if_ended(program);
}

/* A file in memory that has the input, to be read from its start; -1 with errno. */
static int input_file(const char *input, size_t length) {
  int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (size_t at = 0; at < length;) {
    ssize_t count = write(file, input + at, length - at);
    if (count < 0) {
      close(file);
      return -1;
    }
    at += (size_t)count;
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

/* 0 or an error of errno. */
static int spawn(struct program *program, uv_loop_t *loop, char **arguments, char **environment, int input) {
  uv_stdio_container_t stdio[] = {
      {.flags = input < 0 ? UV_IGNORE : UV_INHERIT_FD, .data.fd = input},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&program->pipes[PROGRAM_OUTPUT]},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&program->pipes[PROGRAM_ERRORS]},
      {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&program->pipes[PROGRAM_REPORT]},
  };
  _Static_assert(sizeof stdio / sizeof *stdio == EXEC_REPORT_FD + 1, "the report comes last");
  int count = 0;
  while (arguments[count]) count++;
  char **all = xcalloc((size_t)count + 3, sizeof *all);
  all[0] = "luaflow";
  all[1] = "exec-child";
  memcpy(all + 2, arguments, (size_t)count * sizeof *all);
  uv_process_options_t options = {
      .file = "/proc/self/exe",
      .args = all,
      .env = environment,
      .exit_cb = on_exited,
      .stdio = stdio,
      .stdio_count = EXEC_REPORT_FD + 1,
  };
  program->has_process = true;
  program->open_handles++;
  int code = uv_spawn(loop, &program->process, &options);
  free(all);
  for (int i = 0; i < PROGRAM_PIPES && code == 0; i++)
    code = uv_read_start((uv_stream_t *)&program->pipes[i], allocate, on_read);
  return -code;
}

static void init_handles(struct program *program, uv_loop_t *loop) {
  for (int i = 0; i < PROGRAM_PIPES; i++) {
    uv_pipe_init(loop, &program->pipes[i], 0);
    program->pipes[i].data = program;
  }
  uv_timer_init(loop, &program->timer);
  program->timer.data = program->process.data = program;
  program->open_pipes = PROGRAM_PIPES;
  program->open_handles = PROGRAM_PIPES + 1;
}

struct program *program_start(uv_loop_t *loop, char **arguments, char **environment, const char *input, size_t length,
                              uint64_t timeout_ms, size_t limit, void (*ended)(void *owner), void *owner) {
  struct program *program = xcalloc(1, sizeof *program);
  program->holders = 2;
  program->limit = limit;
  program->ended = ended;
  program->owner = owner;
  init_handles(program, loop);
  int file = input ? input_file(input, length) : -1;
  program->error = input && file < 0 ? errno : spawn(program, loop, arguments, environment, file);
  if (file >= 0) close(file);
  if (program->error) {
    kill_group(program);
    program->failure = PROGRAM_NOT_STARTED;
    program->ended = NULL;
    close_all(program);
  } else if (timeout_ms > 0) {
    uv_update_time(loop);
    uv_timer_start(&program->timer, on_timeout, timeout_ms, 0);
  }
  return program;
}

void program_forget(struct program *program) {
  program->ended = NULL;
  if (!program->closing) kill_group(program);
}

void program_release(struct program *program) { drop(program); }
