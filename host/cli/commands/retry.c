/* luaflow retry: creates a new run from a failed or cancelled one; it starts with the steps that did not complete. Of a
 * started run, makes waiting retries due. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/outcome.h"
#include "cli/view/show.h"

/* The run was retried before: nothing has been started now. */
static void tell_earlier_retry(const char *run_id, const char *retry_id, const char *status) {
  bool failed = strcmp(status, "failed") == 0, cancelled = strcmp(status, "cancelled") == 0;
  bool goes_on = strcmp(status, "started") == 0;
  say(stderr, "run %s was already retried, as run %s, which %s; no further run was started\n", run_id, retry_id,
      goes_on     ? "is still running"
      : cancelled ? "was cancelled"
      : failed    ? "has failed too"
                  : "has completed");
  if (failed || cancelled) say(stderr, "  hint: luaflow retry %s retries that one\n", retry_id);
}

/* The new run's id, owned by the caller. */
static char *retry_run(struct db *db, const char *run_id, struct err *err) {
  const char *parameters[] = {run_id};
  PGresult *result;
  if (!db_run(db, DB_RETRY_RUN, parameters, &result, err)) return NULL;
  char *new_id = PQntuples(result) == 1 ? xstrdup(db_text(result, 0, 0)) : NULL;
  bool same = new_id && strcmp(new_id, db_text(result, 0, 3)) == 0;
  if (same)
    say(stderr, "run %s has not ended; its tasks that wait for their next attempt are due now\n", new_id);
  else if (new_id && db_bool(result, 0, 1))
    tell_earlier_retry(run_id, new_id, db_text(result, 0, 2));
  if (!new_id) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "retry: there is no run %s", run_id);
    err_hint(err, "luaflow runs --status failed lists the failed runs");
  }
  PQclear(result);
  return new_id;
}

int command_retry(const struct call *call) {
  struct db db;
  struct err err;
  if (!show_check_run_id("retry", call->argv[0], &err)) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "retry", ROLE_OPERATOR, &db, &err)) return cli_fail(&err);
  char *run_id = retry_run(&db, call->argv[0], &err);
  int code = EXIT_DONE;
  if (!run_id)
    code = cli_fail(&err);
  else if (call->settings->wait)
    code = outcome_wait(&db, run_id, call->settings->json);
  else
    say(stdout, call->settings->json ? "{\"run_id\": \"%s\"}\n" : "%s\n", run_id); /* an id needs no escapes */
  free(run_id);
  db_close(&db);
  return code;
}
