/* luaflow run: shows one run as a tree of its steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/runview.h"
#include "cli/view/show.h"

static bool print_json(struct db *db, const char *run_id, struct err *err) {
  const char *parameters[] = {run_id};
  PGresult *result;
  if (!db_run(db, DB_RUN_JSON, parameters, &result, err)) return false;
  if (PQntuples(result) == 1) return show_result(db, result, err);
  PQclear(result);
  return err_set(err, ERR_CONFIG, EXIT_FAILED, "run: there is no run %s", run_id);
}

static void print_error(const char *step, const char *error) {
  say(stdout, "\n%s%s%s\n", step ? step : "", step ? ": " : "", error);
}

/* The whole messages, since those in the tree are cut to the line. */
static void print_errors(const struct runview *view) {
  if (view->error) print_error(view->error_step, runview_error(view));
  for (int i = 0; i < view->step_count; i++) {
    const struct runview_step *step = &view->steps[i];
    bool told = view->error_step && strcmp(view->error_step, step->slug) == 0;
    if (step->error && step->status != STEP_COMPLETED && !told) print_error(step->slug, step->error);
  }
}

static bool print_tree(struct db *db, const char *run_id, struct err *err) {
  struct style style = style_of(STDOUT_FILENO);
  struct runview view;
  if (!runview_read(&view, db, run_id, true, err)) return false;
  struct buf out = {0};
  runview_draw(&view, &style, view.step_count + 4, &out);
  say_drawn(stdout, &out);
  if (style.terminal) print_errors(&view);
  buf_free(&out);
  runview_free(&view);
  return true;
}

int command_run(const struct call *call) {
  const char *run_id = call->argv[0];
  struct db db;
  struct err err;
  if (!show_check_run_id("run", run_id, &err)) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "run", ROLE_STARTER, &db, &err)) return cli_fail(&err);
  bool ok = call->settings->json ? print_json(&db, run_id, &err) : print_tree(&db, run_id, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
