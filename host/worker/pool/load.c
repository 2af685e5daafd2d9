/* One executor on a private loop, for as long as it takes to load. */
#include "worker/pool/load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/say.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/executor_spawn.h"
#include "worker/source/root.h"
#include "worker/source/snapshot.h"

enum { MAX_OUTPUT = 1 << 20 /* no task is run */ };

struct load {
  struct executor_process *process;
  struct load_report *report;
  bool loaded;
  struct buf *output;
  struct err *err;
};

static void on_loaded(void *owner, struct load_report *report) {
  struct load *load = owner;
  load_report_move(load->report, report);
  load->loaded = true;
  executor_process_kill(load->process);
}

static void put_line(const struct load *load, const char *line, size_t length) {
  if (load->output)
    buf_put_text(load->output, line, length);
  else
    say(stderr, "%.*s\n", (int)length, line);
}

static void on_frame(void *owner, struct frame *frame) {
  if (frame->type != FRAME_LOG) return;
  cursor_u8(&frame->payload);
  struct text message = cursor_text(&frame->payload);
  put_line(owner, message.bytes ? message.bytes : "", message.length);
}

static void on_line(void *owner, bool from_stderr, const char *line) {
  (void)from_stderr;
  put_line(owner, line, strlen(line));
}

static void on_exited(void *owner, const struct executor_exit *exit) {
  struct load *load = owner;
  if (!load->loaded)
    err_set(load->err, ERR_CONFIG, EXIT_MODULES, "the executor that loads the modules %s", exit->reason);
  executor_process_free(load->process);
}

static bool run(const struct executor_options *options, struct load *load) {
  static const struct executor_events events = {
      .loaded = on_loaded, .frame = on_frame, .line = on_line, .exited = on_exited};
  uv_loop_t loop;
  uv_loop_init(&loop);
  load->process = executor_process_new(&loop, options, &events, load, load->err);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return load->loaded;
}

static void warn(void *owner, const char *path, const char *why) {
  (void)owner;
  say(stderr, "luaflow: warning: %s: %s\n", path, why);
}

bool load_flows(const struct load_options *options, struct load_report *report, struct err *err) {
  struct load load = {.report = report, .output = options->output, .err = err};
  struct entries entries;
  bool good = false;
  *report = (struct load_report){0};
  if (!entries_find(&entries, options->command, options->root, options->paths, options->path_count, err)) return false;
  static const struct snapshot_events events = {.warn = warn};
  int snapshot = snapshot_take(entries.root, &events, NULL, err);
  int program = snapshot < 0 ? -1 : executor_open_program(err);
  if (program >= 0) {
    const struct executor_options executor = {
        .program = program,
        .snapshot = snapshot,
        .mode = options->types ? LOAD_TYPES : LOAD_FLOWS,
        .root = entries.root,
        .development = options->development,
        .max_output = MAX_OUTPUT,
        .executor_memory = options->executor_memory,
        .entries = (const char *const *)entries.paths,
        .entry_count = entries.count,
        .samples = options->samples,
        .sample_count = options->sample_count,
    };
    good = run(&executor, &load);
    close(program);
  }
  if (snapshot >= 0) close(snapshot);
  entries_free(&entries);
  return good;
}
