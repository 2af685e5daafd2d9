/* luaflow check: loads flows and prints every problem; uses no database. */
#include <yajl/yajl_gen.h>

#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "cli/commands/commands.h"
#include "cli/commands/unpolled.h"
#include "worker/pool/load.h"

static void put_text(yajl_gen out, const char *key, const char *text) {
  if (!text) return;
  yajl_gen_string(out, (const unsigned char *)key, strlen(key));
  yajl_gen_string(out, (const unsigned char *)text, strlen(text));
}

static void put_problem(yajl_gen out, const struct load_problem *problem) {
  yajl_gen_map_open(out);
  put_text(out, "code", problem->code);
  put_text(out, "message", problem->message);
  put_text(out, "file", problem->file);
  if (problem->line > 0) {
    yajl_gen_string(out, (const unsigned char *)"line", 4);
    yajl_gen_integer(out, problem->line);
  }
  put_text(out, "flow", problem->flow);
  put_text(out, "step", problem->step);
  put_text(out, "hint", problem->hint);
  yajl_gen_map_close(out);
}

static void put_unpolled(yajl_gen out, const struct unpolled_queue *queue) {
  yajl_gen_map_open(out);
  put_text(out, "code", "unpolled_queue");
  put_text(out, "flow", queue->flow);
  put_text(out, "queue", queue->queue);
  put_text(out, "steps", queue->steps);
  yajl_gen_map_close(out);
}

/* {"problems": [...], "warnings": [...], "workers": [{"queue": ..., "name": ...}], "output": [lines that the modules
 * printed]} */
static void print_json(const struct load_report *report, const struct unpolled *unpolled, const struct buf *output) {
  yajl_gen out = yajl_gen_alloc(NULL);
  yajl_gen_config(out, yajl_gen_beautify, isatty(STDOUT_FILENO) == 1);
  yajl_gen_map_open(out);
  yajl_gen_string(out, (const unsigned char *)"problems", 8);
  yajl_gen_array_open(out);
  for (size_t i = 0; i < report->problem_count; i++) put_problem(out, &report->problems[i]);
  yajl_gen_array_close(out);
  yajl_gen_string(out, (const unsigned char *)"warnings", 8);
  yajl_gen_array_open(out);
  for (size_t i = 0; i < unpolled->count; i++) put_unpolled(out, &unpolled->list[i]);
  yajl_gen_array_close(out);
  yajl_gen_string(out, (const unsigned char *)"workers", 7);
  yajl_gen_array_open(out);
  for (size_t i = 0; i < report->worker_count; i++) {
    yajl_gen_map_open(out);
    put_text(out, "queue", report->workers[i].queue);
    put_text(out, "name", report->workers[i].name);
    yajl_gen_map_close(out);
  }
  yajl_gen_array_close(out);
  yajl_gen_string(out, (const unsigned char *)"output", 6);
  yajl_gen_array_open(out);
  for (struct cursor lines = {.data = output->data, .len = output->len}; lines.pos < lines.len;) {
    struct text line = cursor_text(&lines);
    yajl_gen_string(out, (const unsigned char *)line.bytes, line.length);
  }
  yajl_gen_array_close(out);
  yajl_gen_map_close(out);
  const unsigned char *text;
  size_t length;
  yajl_gen_get_buf(out, &text, &length);
  say_json(stdout, (const char *)text, length);
  yajl_gen_free(out);
}

static void print_text(const struct load_report *report) {
  struct buf lines = {0};
  load_report_put_problems(report, &lines);
  for (size_t i = 0; i < report->worker_count; i++) buf_printf(&lines, "queue %s: ok\n", report->workers[i].queue);
  say_text(stdout, lines.data, lines.len);
  buf_free(&lines);
}

/* A worker of other files may poll it, so this is not a problem. */
static void print_warnings(const struct unpolled *unpolled) {
  for (size_t i = 0; i < unpolled->count; i++) {
    const struct unpolled_queue *queue = &unpolled->list[i];
    bool one = !strchr(queue->steps, ',');
    say(stderr, "luaflow: warning: flow %s: no worker of these files polls queue %s, which step%s %s use%s\n",
        queue->flow, queue->queue, one ? "" : "s", queue->steps, one ? "s" : "");
  }
}

int command_check(const struct call *call) {
  struct buf output = {0};
  struct load_options options = {.root = call->settings->root,
                                 .paths = (const char *const *)call->argv,
                                 .path_count = (size_t)call->argc,
                                 .development = false,
                                 .output = call->settings->json ? &output : NULL};
  struct load_report report;
  struct err err;
  if (!load_flows(&options, &report, &err)) {
    buf_free(&output);
    return cli_fail(&err);
  }
  size_t problems = report.problem_count;
  struct unpolled unpolled = unpolled_find(&report);
  if (call->settings->json)
    print_json(&report, &unpolled, &output);
  else
    print_text(&report);
  print_warnings(&unpolled);
  unpolled_free(&unpolled);
  load_report_free(&report);
  buf_free(&output);
  if (problems == 0) return EXIT_DONE;
  fflush(stdout);
  err_set(&err, ERR_CONFIG, EXIT_MODULES, "check: %zu problem%s", problems, problems == 1 ? "" : "s");
  return cli_fail(&err);
}
