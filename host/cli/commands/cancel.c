/* luaflow cancel: ends a run. */
#include <stdio.h>
#include <string.h>

#include "base/say.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"

static void say_what_happened(const PGresult *result, const char *run_id) {
  long long queued = db_number(result, 0, 3), started = db_number(result, 0, 4);
  say(stdout, "run %s of %s is cancelled", run_id, db_text(result, 0, 0));
  if (queued > 0) say(stdout, "; %lld waiting task%s will not run", queued, queued == 1 ? "" : "s");
  if (started > 0) say(stdout, "; %lld running task%s asked to stop", started, started == 1 ? " is" : "s are");
  say(stdout, "\n");
}

static bool cancel(struct db *db, const struct call *call, struct err *err) {
  const char *run_id = call->argv[0];
  const char *parameters[] = {run_id, call->settings->reason};
  PGresult *result;
  if (!db_run(db, DB_CANCEL_RUN, parameters, &result, err)) return false;
  bool found = PQntuples(result) == 1;
  bool ok = found && db_bool(result, 0, 2);
  if (!found) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "cancel: there is no run %s", run_id);
    err_hint(err, "luaflow runs lists them");
  } else if (!ok) {
    const char *status = db_text(result, 0, 1);
    err_set(err, ERR_CONFIG, EXIT_FAILED, "cancel: run %s of %s has already %s", run_id, db_text(result, 0, 0),
            strcmp(status, "cancelled") == 0 ? "been cancelled" : status);
    err_hint(err, "nothing was changed; luaflow run %s shows it", run_id);
  } else if (call->settings->json) {
    say_json(stdout, db_text(result, 0, 5), strlen(db_text(result, 0, 5)));
  } else {
    say_what_happened(result, run_id);
  }
  PQclear(result);
  return ok;
}

int command_cancel(const struct call *call) {
  struct db db;
  struct err err;
  if (!show_check_run_id("cancel", call->argv[0], &err)) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "cancel", ROLE_OPERATOR, &db, &err)) return cli_fail(&err);
  bool ok = cancel(&db, call, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
