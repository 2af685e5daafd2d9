/* Follows a run to its end and prints its output or its error. */
#include "cli/view/outcome.h"

#include <stdio.h>

#include "base/say.h"
#include "cli/cli.h"
#include "cli/view/follow.h"
#include "cli/view/show.h"

static int report_failure(const struct runview *view) {
  struct err err;
  const char *error = runview_error(view);
  err_set(&err, ERR_CONFIG, EXIT_FAILED, "run %s %s%s%s: %s", view->run_id,
          view->status == RUN_CANCELLED ? "was cancelled" : "failed", view->error_step ? " at step " : "",
          view->error_step ? view->error_step : "", error ? error : "no reason is recorded");
  err_hint(&err,
           "luaflow run %s shows the details; luaflow retry %s runs what failed again once the cause is corrected",
           view->run_id, view->run_id);
  return cli_fail(&err);
}

/* With the errors of its tasks, which following does not read. */
static int report_with_tasks(struct db *db, const struct runview *followed) {
  struct runview view;
  struct err err;
  bool good = runview_read(&view, db, followed->run_id, true, &err);
  int code = report_failure(good ? &view : followed);
  if (good) runview_free(&view);
  return code;
}

int outcome_wait(struct db *db, const char *run_id, bool json) {
  struct runview view;
  struct err err;
  int code = EXIT_DONE;
  switch (follow_run(db, run_id, &view, &err)) {
    case FOLLOW_FAILED:
      err_hint(&err, "the run continues; show it with: luaflow run %s", run_id);
      return cli_fail(&err);
    case FOLLOW_DETACHED:
      say(stderr, "detached; the run continues. Show it with: luaflow run %s\n", run_id);
      return EXIT_DETACHED;
    case FOLLOW_ENDED:
      break;
  }
  const char *parameters[] = {run_id};
  bool completed = view.status == RUN_COMPLETED;
  bool shown = json        ? show_json(db, DB_RUN_OUTCOME, parameters, &err)
               : completed ? show_json(db, DB_RUN_OUTPUT, parameters, &err)
                           : true;
  if (!completed) code = report_with_tasks(db, &view);
  if (!shown) code = cli_fail(&err);
  runview_free(&view);
  return code;
}
