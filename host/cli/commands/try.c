/* luaflow try: runs one attempt of one task in its own executor, with the database of ctx:query and ctx.tx alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/embed.h"
#include "base/error_text.h"
#include "base/say.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/commands/try_step.h"
#include "cli/script_sql.h"
#include "cli/view/json.h"
#include "cli/view/script_log.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/executor_spawn.h"
#include "worker/pool/task.h"
#include "worker/pool/timeout_text.h"
#include "worker/source/root.h"
#include "worker/source/source.h"

enum {
  TASK = 1,
  LOOKS = 4,
  LOOK_MS = 500 /* that often an executor is asked where its handler is, before it is ended */
};

static const char no_id[] = "00000000-0000-0000-0000-000000000000";

static const char traceback_head[] = "\nstack traceback:\n";

struct attempt {
  const struct call *call;
  const char *given; /* JSON; NULL where there is none */
  struct try_step step;
  struct executor_process *process;
  struct script_sql *sql;
  struct task claim; /* its texts are borrowed; of ctx.tx */
  bool rehearses;    /* ctx.tx was used */
  uv_timer_t timer;  /* of the deadline, then of the answer to ABANDON */
  int asked;         /* how often, since the deadline */
  char *traceback;   /* of the error that ended the handler; NULL until it comes */
  int exit_code;     /* -1 until it is known */
};

static void finish(struct attempt *attempt, int code) {
  if (attempt->exit_code < 0) attempt->exit_code = code;
  executor_process_stop(attempt->process);
}

/* luaflow: try: FLOW.STEP: how it ended: message */
static void tell(const struct attempt *attempt, const char *how, const char *message) {
  say(stderr, "luaflow: try: %s.%s: %s%s%s\n", attempt->step.flow, attempt->step.step, how, message ? ": " : "",
      message ? message : "");
}

/* ---- the task ---- */

static void on_deadline(uv_timer_t *timer) {
  struct attempt *attempt = timer->data;
  if (attempt->asked == LOOKS) {
    executor_process_kill_for(attempt->process, "did not answer after the task timed out");
    return;
  }
  if (attempt->asked++ == 0)
    executor_process_send(attempt->process, FRAME_ABANDON, TASK, NULL);
  else
    executor_process_ask_place(attempt->process);
  uv_timer_start(timer, on_deadline, LOOK_MS, 0);
}

/* What the step gets when nothing is given: as luaflow start, or of a map one element. */
static const char *default_input(const struct try_step *step) { return step->is_map ? "null" : "{}"; }

static void send_task(struct attempt *attempt) {
  const struct try_step *step = &attempt->step;
  const char *input = attempt->given ? attempt->given : default_input(step);
  struct task task = {.flow_slug = step->flow,
                      .step_slug = step->step,
                      .attempt = (int)attempt->call->settings->attempt,
                      .max_attempts = (int)step->max_attempts,
                      .input = (char *)input};
  struct buf payload = {0};
  uv_timeval64_t now;
  uv_gettimeofday(&now);
  memcpy(task.run_id, no_id, sizeof no_id);
  attempt->claim = task;
  attempt->claim.deadline_ms = uv_now(attempt->timer.loop) + (uint64_t)step->timeout_s * 1000;
  task.flow_input = (char *)(step->takes_run_input ? input : attempt->call->settings->flow_input);
  task_put_frame(&task, step->queue, no_id, (double)(now.tv_sec + step->timeout_s) + now.tv_usec / 1e6, &payload);
  executor_process_send(attempt->process, FRAME_TASK, TASK, &payload);
  buf_free(&payload);
  uv_timer_start(&attempt->timer, on_deadline, (uint64_t)step->timeout_s * 1000, 0);
}

static void refuse_flow_input(struct attempt *attempt) {
  struct buf payload = {0};
  buf_put_str(&payload, NULL);
  buf_put_str(&payload, "luaflow try does not know the run's input: give --flow-input JSON");
  executor_process_send(attempt->process, FRAME_FLOW_INPUT_REPLY, TASK, &payload);
  buf_free(&payload);
}

/* Nothing is completed here, so a transaction is a rehearsal. */
static void on_query(struct attempt *attempt, struct frame *frame) {
  struct cursor query = frame->payload;
  if (cursor_u8(&query) == 1) attempt->rehearses = true;
  script_sql_query(attempt->sql, attempt->process, &attempt->claim, frame);
}

/* What comes before the name of the source of its database. */
static const char *database_of(const struct attempt *attempt) {
  return attempt->call->settings->database ? "the database of " : "";
}

/* Where, if a database was opened for it at all. */
static void tell_rehearsal(const struct attempt *attempt) {
  const char *source = script_sql_source(attempt->sql);
  if (attempt->rehearses && source)
    say(stderr, "luaflow: try: %s.%s: what ctx.tx wrote is rolled back (%s%s)\n", attempt->step.flow,
        attempt->step.step, database_of(attempt), source);
}

/* Is the line one of a traceback and of luaflow's own code, or of C? */
static bool is_inner(const char *line) {
  static const char library[] = "\tluaflow/";
  if (strncmp(line, "\t[C]:", 5) == 0) return true;
  if (strncmp(line, library, strlen(library)) != 0) return false;
  char *path = xasprintf("lua/%.*s", (int)strcspn(line + 1, ":"), line + 1);
  bool embedded = embed_find(path) != NULL;
  free(path);
  return embedded;
}

/* Leaves out the inner lines, in place, unless there are no others. */
static void shorten_traceback(char *traceback) {
  char *frames = strstr(traceback, traceback_head) + strlen(traceback_head);
  struct buf outer = {0};
  for (char *line = frames; *line;) {
    size_t length = strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    if (!is_inner(line)) buf_put(&outer, line, length);
    line += length;
  }
  if (outer.len > 0) {
    memcpy(frames, outer.data, outer.len);
    frames[outer.len - (frames[outer.len - 1] == '\n')] = '\0';
  }
  buf_free(&outer);
}

/* It was not the handler's end. */
static void log_traceback(struct attempt *attempt) {
  if (attempt->traceback) script_log_line(attempt->call->log, LOG_ERROR, attempt->traceback, NULL);
  free(attempt->traceback);
  attempt->traceback = NULL;
}

static void tell_database(const struct attempt *attempt) {
  const char *source = script_sql_source(attempt->sql);
  if (source) say(stderr, "  its SQL ran in %s%s\n", database_of(attempt), source);
}

static void tell_failure(struct attempt *attempt, uint8_t outcome, const char *message, double delay) {
  char how[128];
  switch ((enum outcome)outcome) {
    case OUTCOME_COMPLETED: /* with an output of the wrong type: it is not retried */
    case OUTCOME_PERMANENT:
      snprintf(how, sizeof how, "failed permanently, as with luaflow.fail");
      break;
    case OUTCOME_SNOOZED:
      snprintf(how, sizeof how, "snoozed for %g s by luaflow.snooze", delay);
      break;
    case OUTCOME_FAILED:
      if (delay >= 0)
        snprintf(how, sizeof how, "failed; luaflow.retry_after asks for a retry in %g s", delay);
      else
        snprintf(how, sizeof how, "failed");
      break;
  }
  char *text = message ? error_text(message) : NULL;
  bool told = attempt->traceback && text && strncmp(attempt->traceback, text, strlen(text)) == 0;
  if (!told) log_traceback(attempt);
  tell(attempt, how, told ? attempt->traceback : text);
  free(attempt->traceback);
  attempt->traceback = NULL;
  free(text);
  tell_database(attempt);
}

static void on_result(struct attempt *attempt, struct cursor *payload) {
  uint8_t outcome = cursor_u8(payload);
  struct text output = cursor_text(payload);
  char *message = cursor_strdup(payload);
  cursor_text(payload); /* a database's detail, which is stored and not logged */
  double delay = cursor_f64(payload);
  if (outcome == OUTCOME_COMPLETED && !message && output.bytes) {
    log_traceback(attempt);
    say_json(stdout, output.bytes, output.length);
    finish(attempt, EXIT_DONE);
  } else {
    tell_failure(attempt, outcome, message, delay);
    finish(attempt, EXIT_FAILED);
  }
  free(message);
}

static void tell_timeout(const struct attempt *attempt) {
  char *how = timeout_text(attempt->process, TASK, attempt->step.timeout_s);
  tell(attempt, how, NULL);
  free(how);
}

static void on_abandoned(struct attempt *attempt, struct cursor *payload) {
  if (attempt->exit_code >= 0) return; /* its result came first */
  char *where = cursor_strdup(payload);
  char *how = xasprintf("timed out after %" PRId64 " s%s", attempt->step.timeout_s, where ? where : "");
  tell(attempt, how, NULL);
  free(how);
  free(where);
  finish(attempt, EXIT_FAILED);
}

/* ---- the executor ---- */

static void on_problems(struct attempt *attempt, const struct load_report *report) {
  struct buf lines = {0};
  load_report_put_problems(report, &lines);
  say_text(stderr, lines.data, lines.len);
  say(stderr, "luaflow: try: %zu problem%s\n", report->problem_count, report->problem_count == 1 ? "" : "s");
  buf_free(&lines);
  finish(attempt, EXIT_MODULES);
}

static bool check_flow_input(const struct attempt *attempt, struct err *err) {
  if (!attempt->call->settings->flow_input || !attempt->step.takes_run_input) return true;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "try: --flow-input is refused: the input of %s.%s is already the run's input",
          attempt->step.flow, attempt->step.step);
  return err_hint(err, "give the run's input as JSON after the step");
}

static void on_loaded(void *owner, struct load_report *report) {
  struct attempt *attempt = owner;
  struct err err;
  if (report->problem_count > 0) {
    on_problems(attempt, report);
  } else if (!try_step_find(&attempt->step, report, attempt->call->argc > 1 ? attempt->call->argv[1] : NULL, &err) ||
             !check_flow_input(attempt, &err) ||
             (attempt->given && !try_step_check_input(&attempt->step, attempt->given, &err))) {
    finish(attempt, cli_fail(&err));
  } else {
    send_task(attempt);
  }
}

/* The traceback of the handler's error is printed with its end, which comes next. */
static void on_log(struct attempt *attempt, struct cursor *payload) {
  struct cursor line = *payload;
  enum log_level level = (enum log_level)cursor_u8(&line);
  char *message = cursor_strdup(&line);
  bool is_traceback = level == LOG_ERROR && message && strstr(message, traceback_head);
  log_traceback(attempt);
  if (!is_traceback) {
    script_log(attempt->call->log, payload);
    free(message);
  } else {
    shorten_traceback(message);
    attempt->traceback = message;
  }
}

static void on_frame(void *owner, struct frame *frame) {
  struct attempt *attempt = owner;
  if (frame->type == FRAME_LOG) on_log(attempt, &frame->payload);
  if (frame->type == FRAME_FLOW_INPUT) refuse_flow_input(attempt);
  if (frame->type == FRAME_QUERY) on_query(attempt, frame);
  if (frame->type == FRAME_RESULT) on_result(attempt, &frame->payload);
  if (frame->type == FRAME_ABANDONED) on_abandoned(attempt, &frame->payload);
}

static void on_line(void *owner, bool from_stderr, const char *line) {
  (void)owner;
  (void)from_stderr;
  say(stderr, "%s\n", line);
}

static void on_exited(void *owner, const struct executor_exit *end) {
  struct attempt *attempt = owner;
  log_traceback(attempt);
  if (attempt->exit_code < 0) {
    attempt->exit_code = attempt->step.flow ? EXIT_FAILED : EXIT_MODULES;
    if (attempt->asked > 0)
      tell_timeout(attempt);
    else
      say(stderr, "luaflow: try: the executor %s\n", end->reason);
  }
  tell_rehearsal(attempt);
  script_sql_close(attempt->sql);
  executor_process_free(attempt->process);
  uv_close((uv_handle_t *)&attempt->timer, NULL);
}

static void warn(void *owner, const char *path, const char *why) {
  (void)owner;
  say(stderr, "luaflow: warning: %s: %s\n", path, why);
}

/* True once the executor was started and has ended. */
static bool spawn(struct attempt *attempt, const struct executor_options *options, struct err *err) {
  static const struct executor_events events = {
      .loaded = on_loaded, .frame = on_frame, .line = on_line, .exited = on_exited};
  uv_loop_t loop;
  uv_loop_init(&loop);
  uv_timer_init(&loop, &attempt->timer);
  attempt->timer.data = attempt;
  attempt->sql = script_sql_new(&loop, attempt->call->settings, attempt->call->log);
  attempt->process = executor_process_new(&loop, options, &events, attempt, err);
  bool started = attempt->process != NULL;
  if (!started) {
    script_sql_close(attempt->sql);
    uv_close((uv_handle_t *)&attempt->timer, NULL);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return started;
}

static bool run(struct attempt *attempt, struct err *err) {
  static const struct snapshot_events events = {.warn = warn};
  const struct settings *settings = attempt->call->settings;
  struct entries entries;
  struct source source;
  bool started = false;
  if (!entries_find(&entries, "try", settings->root, (const char *const *)attempt->call->argv, 1, err)) return false;
  char env_source[64];
  const struct env_place env_file = client_env_file(settings, env_source, sizeof env_source);
  bool good = source_take(&source, entries.root, &env_file, &events, NULL, err);
  int program = good ? executor_open_program(err) : -1;
  if (program >= 0) {
    const struct executor_options options = {.program = program,
                                             .snapshot = source.snapshot,
                                             .mode = LOAD_FLOWS,
                                             .root = entries.root,
                                             .development = true,
                                             .max_output = settings->max_output,
                                             .executor_memory = settings->executor_memory,
                                             .env_file = &source.env_file,
                                             .entries = (const char *const *)entries.paths,
                                             .entry_count = entries.count};
    started = spawn(attempt, &options, err);
    close(program);
  }
  if (good) source_free(&source);
  entries_free(&entries);
  return started;
}

int command_try(const struct call *call) {
  struct attempt attempt = {.call = call, .exit_code = -1};
  const char *flow_input = call->settings->flow_input;
  struct err err;
  char *given = NULL;
  if (flow_input && !json_check("try: --flow-input", flow_input, &err)) return cli_fail(&err);
  if (call->argc > 2 && !(given = json_read("try: the input", call->argv[2], &err))) return cli_fail(&err);
  attempt.given = given;
  bool ran = run(&attempt, &err);
  try_step_free(&attempt.step);
  free(given);
  return ran ? attempt.exit_code : cli_fail(&err);
}
