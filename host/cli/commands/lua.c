/* luaflow lua: runs a script as the one task of an executor that keeps this command's environment, folder and
 * streams. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "cli/commands/commands.h"
#include "cli/script_sql.h"
#include "cli/view/script_log.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/executor_spawn.h"
#include "worker/source/root.h"
#include "worker/source/snapshot.h"

struct script {
  struct executor_process *process;
  struct script_sql *sql;
  struct log *log;
  int exit_code; /* -1 until the script has set it */
};

static void refuse_flow_input(struct script *script, uint64_t task) {
  struct buf payload = {0};
  buf_put_str(&payload, NULL);
  buf_put_str(&payload, "a script is not a task of a run: it has no flow input");
  executor_process_send(script->process, FRAME_FLOW_INPUT_REPLY, task, &payload);
  buf_free(&payload);
}

static void on_frame(void *owner, struct frame *frame) {
  struct script *script = owner;
  if (frame->type == FRAME_LOG) script_log(script->log, &frame->payload);
  if (frame->type == FRAME_FLOW_INPUT) refuse_flow_input(script, frame->task);
  if (frame->type == FRAME_QUERY) script_sql_query(script->sql, script->process, NULL, frame);
  if (frame->type != FRAME_EXIT) return;
  script->exit_code = (int)cursor_i64(&frame->payload) & 0xFF;
  executor_process_stop(script->process);
}

static void on_exited(void *owner, const struct executor_exit *end) {
  struct script *script = owner;
  if (script->exit_code < 0) {
    script->exit_code = end->signal ? 128 + end->signal : (int)end->code;
    if (end->signal && end->signal != SIGINT) say(stderr, "luaflow: lua: the executor %s\n", end->reason);
  }
  script_sql_close(script->sql);
  executor_process_free(script->process);
}

/* True once the script has run; its exit code is in *script. */
static bool run_script(struct script *script, const struct call *call, const char *root, int snapshot,
                       struct err *err) {
  static const struct executor_events events = {.frame = on_frame, .exited = on_exited};
  int program = executor_open_program(err);
  if (program < 0) return false;
  const struct executor_options options = {
      .program = program,
      .snapshot = snapshot,
      .mode = LOAD_SCRIPT,
      .root = root,
      .max_output = call->settings->max_output,
      .entries = (const char *const *)call->argv,
      .entry_count = (size_t)call->argc,
  };
  uv_loop_t loop;
  uv_loop_init(&loop);
  script->sql = script_sql_new(&loop, call->settings, call->log);
  script->process = executor_process_new(&loop, &options, &events, script, err);
  bool started = script->process != NULL;
  if (!started) script_sql_close(script->sql);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  close(program);
  return started;
}

static bool check_script(const char *path, struct err *err) {
  struct stat info;
  if (stat(path, &info) != 0 || access(path, R_OK) != 0)
    return err_set(err, ERR_CONFIG, EXIT_USAGE, "lua: %s: %s", path, strerror(errno));
  return !S_ISDIR(info.st_mode) || err_set(err, ERR_CONFIG, EXIT_USAGE, "lua: %s: %s", path, strerror(EISDIR));
}

int command_lua(const struct call *call) {
  struct script script = {.log = call->log, .exit_code = -1};
  struct err err;
  if (!check_script(call->argv[0], &err)) return cli_fail(&err);
  char *root;
  if (!root_choose("lua", call->settings->root, call->argv[0], &root, &err)) return cli_fail(&err);
  int snapshot = snapshot_take(root, NULL, NULL, &err);
  bool ok = snapshot >= 0 && run_script(&script, call, root, snapshot, &err);
  if (snapshot >= 0) close(snapshot);
  free(root);
  return ok ? script.exit_code : cli_fail(&err);
}
