/* Reads a run into structs; rundraw.c draws them. */
#include "cli/view/runview.h"

#include <stdlib.h>
#include <string.h>

#include "base/error_text.h"
#include "base/xalloc.h"

static const char *const run_names[] = {"started", "completed", "failed", "cancelled"};
static const char *const phase_names[] = {"queued", "started", "retrying", "snoozed"};
static const char *const step_names[] = {"created", "started", "completed", "failed", "skipped"};

const char *run_status_name(enum run_status status) { return run_names[status]; }
const char *step_status_name(enum step_status status) { return step_names[status]; }
const char *task_phase_name(enum task_phase phase) { return phase_names[phase]; }

/* The index of text in names; a newer schema's unknown word counts as the first. */
static int index_of(const char *text, const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(text, names[i]) == 0) return i;
  return 0;
}

enum run_status run_status_parse(const char *text) { return (enum run_status)index_of(text, run_names, 4); }

/* What people read of a stored error; NULL of none. */
static char *copy_error(const PGresult *result, int row, int column) {
  const char *text = db_text(result, row, column);
  return text ? error_text(text) : NULL;
}

static char *copy(const PGresult *result, int row, int column) { return xstrdup(db_text(result, row, column)); }

static bool read_run(struct runview *view, const PGresult *result, const char *run_id, struct err *err) {
  if (PQntuples(result) != 1) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "run: there is no run %s", run_id);
    return err_hint(err, "luaflow runs lists them");
  }
  view->run_id = copy(result, 0, 0);
  view->flow_slug = copy(result, 0, 1);
  view->flow_alias = copy(result, 0, 2);
  view->status = run_status_parse(db_text(result, 0, 3));
  view->ms = db_number(result, 0, 4);
  view->age = db_number(result, 0, 5);
  view->error_step = copy(result, 0, 6);
  view->error = copy_error(result, 0, 7);
  view->restart_of = copy(result, 0, 8);
  view->restarted_as = copy(result, 0, 9);
  return true;
}

static int find_step(const struct runview *view, const char *slug) {
  for (int i = 0; i < view->step_count; i++)
    if (view->steps[i].slug && strcmp(view->steps[i].slug, slug) == 0) return i;
  return -1;
}

static void read_failing(struct runview_step *step, const PGresult *result, int row) {
  step->failing = copy(result, row, 14);
  step->failing_attempts = db_number(result, row, 15);
  step->error = copy_error(result, row, 16);
}

static void read_step(struct runview *view, const PGresult *result, int row) {
  struct runview_step *step = &view->steps[row];
  *step = (struct runview_step){
      .slug = copy(result, row, 0),
      .is_map = strcmp(db_text(result, row, 1), "map") == 0,
      .status = (enum step_status)index_of(db_text(result, row, 2), step_names, 5),
      .tasks = db_text(result, row, 3) ? db_number(result, row, 3) : -1,
      .left = db_number(result, row, 4),
      .ms = db_text(result, row, 5) ? db_number(result, row, 5) : -1,
      .error = copy_error(result, row, 6),
      .skip_reason = copy(result, row, 7),
      .attempts = db_number(result, row, 8),
      .dependencies = copy(result, row, 10),
      .most_attempts = db_number(result, row, 11),
      .unserved = copy(result, row, 12),
      .kept = db_bool(result, row, 13),
      .next_ms = db_text(result, row, 17) ? db_number(result, row, 17) : -1,
      .failed = db_number(result, row, 18),
  };
  if (step->is_map && db_number(result, row, 15) > 0) read_failing(step, result, row);
  if (db_text(result, row, 9)) step->phase = (enum task_phase)index_of(db_text(result, row, 9), phase_names, 4);
  const char *last = step->dependencies ? strrchr(step->dependencies, ' ') : NULL;
  step->parent = step->dependencies ? find_step(view, last ? last + 1 : step->dependencies) : -1;
}

static void read_steps(struct runview *view, const PGresult *result) {
  view->step_count = PQntuples(result);
  view->steps = xcalloc((size_t)view->step_count, sizeof *view->steps);
  for (int row = 0; row < view->step_count; row++) read_step(view, result, row);
}

static void read_error(struct runview_step *step, const PGresult *result, int row) {
  char *error = copy_error(result, row, 3);
  const char *task = db_text(result, row, 2);
  step->error = task ? xasprintf("%s: %s", task, error) : xstrdup(error);
  free(error);
}

static void read_tasks(struct runview *view, const PGresult *result) {
  for (int row = 0; row < PQntuples(result); row++) {
    int index = find_step(view, db_text(result, row, 0));
    if (index < 0) continue;
    struct runview_step *step = &view->steps[index];
    step->attempts = db_number(result, row, 1);
    if (!step->error && db_text(result, row, 3)) read_error(step, result, row);
  }
}

bool runview_read(struct runview *view, struct db *db, const char *run_id, bool tasks, struct err *err) {
  static const enum db_statement list[] = {DB_RUN, DB_RUN_STEPS, DB_RUN_TASKS};
  const char *parameters[] = {run_id};
  PGresult *results[3];
  int count = tasks ? 3 : 2;
  *view = (struct runview){0};
  if (!db_look(db, list, count, parameters, results, err)) return false;
  bool found = read_run(view, results[0], run_id, err);
  if (found) read_steps(view, results[1]);
  if (found && tasks) read_tasks(view, results[2]);
  for (int i = 0; i < count; i++) PQclear(results[i]);
  return found;
}

const char *runview_error(const struct runview *view) {
  for (int i = 0; i < view->step_count && view->error_step; i++)
    if (strcmp(view->error_step, view->steps[i].slug) == 0 && view->steps[i].error) return view->steps[i].error;
  return view->error;
}

void runview_free(struct runview *view) {
  for (int i = 0; i < view->step_count; i++) {
    free(view->steps[i].slug);
    free(view->steps[i].error);
    free(view->steps[i].failing);
    free(view->steps[i].skip_reason);
    free(view->steps[i].dependencies);
    free(view->steps[i].unserved);
  }
  free(view->steps);
  free(view->run_id);
  free(view->flow_slug);
  free(view->flow_alias);
  free(view->restart_of);
  free(view->restarted_as);
  free(view->error_step);
  free(view->error);
  *view = (struct runview){0};
}
