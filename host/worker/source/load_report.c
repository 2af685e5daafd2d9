/* Reading, keeping and printing load reports. */
#include "worker/source/load_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { COUNT_MAX = 1000000 }; /* more is not what an executor writes */

static bool read_types(struct load_report *report, struct cursor *payload) {
  uint32_t count = cursor_u32(payload);
  if (payload->bad || count > COUNT_MAX) return false;
  report->types = xcalloc(count, sizeof *report->types);
  for (uint32_t i = 0; i < count && !payload->bad; i++) {
    struct load_types *file = &report->types[report->types_count++];
    file->name = cursor_strdup(payload);
    file->text = cursor_strdup(payload);
    if (!file->name || !file->text) return false;
  }
  return !payload->bad;
}

static bool read_steps(struct load_report *report, struct cursor *payload) {
  uint32_t count = cursor_u32(payload);
  if (payload->bad || count > COUNT_MAX) return false;
  report->steps = xcalloc(count, sizeof *report->steps);
  for (uint32_t i = 0; i < count && !payload->bad; i++) {
    struct load_step *step = &report->steps[report->step_count++];
    step->flow = cursor_strdup(payload);
    step->step = cursor_strdup(payload);
    step->transaction = cursor_u8(payload);
    step->map = cursor_u8(payload);
    if (!step->flow || !step->step) return false;
  }
  return !payload->bad;
}

static bool read_data_files(struct load_report *report, struct cursor *payload) {
  uint32_t count = cursor_u32(payload);
  if (payload->bad || count > COUNT_MAX) return false;
  report->data_files = xcalloc(count, sizeof *report->data_files);
  for (uint32_t i = 0; i < count && !payload->bad; i++) {
    report->data_files[report->data_count++] = cursor_strdup(payload);
    if (!report->data_files[i]) return false;
  }
  return !payload->bad;
}

bool load_report_read_loaded(struct load_report *report, struct cursor *payload) {
  report->digest = cursor_strdup(payload);
  uint32_t count = cursor_u32(payload);
  if (payload->bad || !report->digest || count > COUNT_MAX) return false;
  report->workers = xcalloc(count, sizeof *report->workers);
  for (uint32_t i = 0; i < count && !payload->bad; i++) {
    struct load_worker *worker = &report->workers[report->worker_count++];
    worker->queue = cursor_strdup(payload);
    worker->name = cursor_strdup(payload);
    worker->registry = cursor_strdup(payload);
    if (!worker->queue || !worker->name || !worker->registry) return false;
  }
  if (payload->bad || !read_types(report, payload) || !read_steps(report, payload)) return false;
  report->silent = cursor_strdup(payload);
  return !payload->bad && read_data_files(report, payload);
}

bool load_report_read_problems(struct load_report *report, struct cursor *payload) {
  uint32_t count = cursor_u32(payload);
  if (payload->bad || count == 0 || count > COUNT_MAX) return false;
  report->problems = xcalloc(count, sizeof *report->problems);
  for (uint32_t i = 0; i < count && !payload->bad; i++) {
    struct load_problem *problem = &report->problems[report->problem_count++];
    problem->code = cursor_strdup(payload);
    problem->message = cursor_strdup(payload);
    problem->file = cursor_strdup(payload);
    problem->line = cursor_i64(payload);
    problem->flow = cursor_strdup(payload);
    problem->step = cursor_strdup(payload);
    problem->hint = cursor_strdup(payload);
    if (!problem->code || !problem->message) return false;
  }
  return !payload->bad;
}

const struct load_worker *load_report_worker(const struct load_report *report, const char *queue) {
  for (size_t i = 0; i < report->worker_count; i++)
    if (strcmp(report->workers[i].queue, queue) == 0) return &report->workers[i];
  return NULL;
}

char *load_report_queues(const struct load_report *report) {
  struct buf list = {0};
  for (size_t i = 0; i < report->worker_count; i++) buf_printf(&list, "%s%s", i ? ", " : "", report->workers[i].queue);
  char *text = list.len ? xmemdup(list.data, list.len) : xstrdup("none");
  buf_free(&list);
  return text;
}

char *load_report_lacks(const struct load_report *report, const char *queue, const char *any_more) {
  char *queues = load_report_queues(report);
  const char *silent = report->silent;
  char *text = xasprintf("no flow uses the queue %s%s; they use: %s%s%s%s", queue, any_more, queues, silent ? "; " : "",
                         silent ? silent : "", silent ? " returns nothing" : "");
  free(queues);
  return text;
}

const struct load_step *load_report_step(const struct load_report *report, const char *flow, const char *step) {
  for (size_t i = 0; i < report->step_count; i++)
    if (strcmp(report->steps[i].flow, flow) == 0 && strcmp(report->steps[i].step, step) == 0) return &report->steps[i];
  return NULL;
}

bool load_report_needs_transactions(const struct load_report *report) {
  for (size_t i = 0; i < report->step_count; i++)
    if (report->steps[i].transaction) return true;
  return false;
}

void load_report_move(struct load_report *target, struct load_report *source) {
  *target = *source;
  *source = (struct load_report){0};
}

void load_report_free(struct load_report *report) {
  for (size_t i = 0; i < report->worker_count; i++) {
    free(report->workers[i].queue);
    free(report->workers[i].name);
    free(report->workers[i].registry);
  }
  for (size_t i = 0; i < report->problem_count; i++) {
    struct load_problem *problem = &report->problems[i];
    free(problem->code);
    free(problem->message);
    free(problem->file);
    free(problem->flow);
    free(problem->step);
    free(problem->hint);
  }
  for (size_t i = 0; i < report->types_count; i++) {
    free(report->types[i].name);
    free(report->types[i].text);
  }
  for (size_t i = 0; i < report->step_count; i++) {
    free(report->steps[i].flow);
    free(report->steps[i].step);
  }
  free(report->steps);
  free(report->workers);
  free(report->types);
  free(report->problems);
  free(report->silent);
  for (size_t i = 0; i < report->data_count; i++) free(report->data_files[i]);
  free(report->data_files);
  free(report->digest);
  *report = (struct load_report){0};
}

/* The step, unless the message names it. */
static void put_step(const struct load_problem *problem, struct buf *out) {
  char *quoted = problem->step ? xasprintf("'%s'", problem->step) : NULL;
  if (quoted && !strstr(problem->message, quoted)) buf_printf(out, "step %s: ", quoted);
  free(quoted);
}

void load_report_put_problems(const struct load_report *report, struct buf *out) {
  for (size_t i = 0; i < report->problem_count; i++) {
    const struct load_problem *problem = &report->problems[i];
    if (problem->file) buf_printf(out, "%s:", problem->file);
    if (problem->file && problem->line > 0) buf_printf(out, "%lld:", (long long)problem->line);
    buf_printf(out, "%s[%s] ", problem->file ? " " : "", problem->code);
    put_step(problem, out);
    buf_printf(out, "%s", problem->message);
    if (problem->hint) buf_printf(out, " (%s)", problem->hint);
    buf_printf(out, "\n");
  }
}
