/* luaflow check: loads flows and prints every problem, without a database; with one also what a deployment would do. */
#include <string.h>

#include "base/say.h"
#include "cli/commands/check_deployment.h"
#include "cli/commands/commands.h"
#include "cli/commands/unpolled.h"
#include "cli/view/document.h"
#include "worker/pool/load.h"

static void put_problem(yajl_gen out, const struct load_problem *problem) {
  yajl_gen_map_open(out);
  document_member(out, "code", problem->code);
  document_member(out, "message", problem->message);
  document_member(out, "file", problem->file);
  if (problem->line > 0) {
    document_text(out, "line");
    yajl_gen_integer(out, problem->line);
  }
  document_member(out, "flow", problem->flow);
  document_member(out, "step", problem->step);
  document_member(out, "hint", problem->hint);
  yajl_gen_map_close(out);
}

static void put_unpolled(yajl_gen out, const struct unpolled_queue *queue) {
  yajl_gen_map_open(out);
  document_member(out, "code", "unpolled_queue");
  document_member(out, "flow", queue->flow);
  document_member(out, "queue", queue->queue);
  document_member(out, "steps", queue->steps);
  yajl_gen_map_close(out);
}

/* {"problems": [...], "warnings": [...], "workers": [{"queue": ..., "name": ...}], "deployments": [...], "output":
 * [lines that the modules printed]}; the deployments only of a database. */
static void print_json(const struct load_report *report, const struct unpolled *unpolled,
                       const struct previews *previews, const struct buf *output) {
  yajl_gen out = document_begin();
  yajl_gen_map_open(out);
  document_text(out, "problems");
  yajl_gen_array_open(out);
  for (size_t i = 0; i < report->problem_count; i++) put_problem(out, &report->problems[i]);
  yajl_gen_array_close(out);
  document_text(out, "warnings");
  yajl_gen_array_open(out);
  for (size_t i = 0; i < unpolled->count; i++) put_unpolled(out, &unpolled->list[i]);
  yajl_gen_array_close(out);
  document_text(out, "workers");
  yajl_gen_array_open(out);
  for (size_t i = 0; i < report->worker_count; i++) {
    yajl_gen_map_open(out);
    document_member(out, "queue", report->workers[i].queue);
    document_member(out, "name", report->workers[i].name);
    yajl_gen_map_close(out);
  }
  yajl_gen_array_close(out);
  if (previews->results) {
    document_text(out, "deployments");
    previews_put_json(previews, out);
  }
  document_text(out, "output");
  yajl_gen_array_open(out);
  for (struct cursor lines = {.data = output->data, .len = output->len}; lines.pos < lines.len;) {
    struct text line = cursor_text(&lines);
    yajl_gen_string(out, (const unsigned char *)line.bytes, line.length);
  }
  yajl_gen_array_close(out);
  yajl_gen_map_close(out);
  document_end(out);
}

static void print_text(const struct load_report *report, const struct previews *previews) {
  struct buf lines = {0};
  load_report_put_problems(report, &lines);
  if (previews->results) previews_put_lines(previews, &lines);
  for (size_t i = 0; !previews->results && i < report->worker_count; i++)
    buf_printf(&lines, "queue %s: ok\n", report->workers[i].queue);
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

/* What was found; *err if it is not good. */
static bool report_all(const struct settings *settings, const struct load_report *report, const struct buf *output,
                       struct err *err) {
  struct previews previews = {0};
  size_t problems = report->problem_count;
  bool asked = settings->from_flag[SET_database] && problems == 0;
  if (asked && !previews_read(&previews, settings, report, err)) return false;
  struct unpolled unpolled = unpolled_find(report);
  if (settings->json)
    print_json(report, &unpolled, &previews, output);
  else
    print_text(report, &previews);
  print_warnings(&unpolled);
  unpolled_free(&unpolled);
  fflush(stdout);
  bool ok = problems == 0 && (!asked || previews_accepted(&previews, err));
  if (problems > 0) err_set(err, ERR_CONFIG, EXIT_MODULES, "check: %zu problem%s", problems, problems == 1 ? "" : "s");
  previews_free(&previews);
  return ok;
}

int command_check(const struct call *call) {
  struct buf output = {0};
  struct load_options options = {.command = "check",
                                 .root = call->settings->root,
                                 .paths = (const char *const *)call->argv,
                                 .path_count = (size_t)call->argc,
                                 .development = false,
                                 .executor_memory = call->settings->executor_memory,
                                 .output = call->settings->json ? &output : NULL};
  struct load_report report;
  struct err err;
  bool ok = load_flows(&options, &report, &err);
  if (ok) {
    ok = report_all(call->settings, &report, &output, &err);
    load_report_free(&report);
  }
  buf_free(&output);
  return ok ? EXIT_DONE : cli_fail(&err);
}
