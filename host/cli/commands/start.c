/* luaflow start: starts a run, and with --wait follows it to its output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/json.h"
#include "cli/view/outcome.h"

/* Postgres refuses some texts that are JSON, such as \u0000: also an error of the command line. */
static bool check_on_server(struct db *db, const char *input, struct err *err) {
  const char *parameters[] = {input};
  if (db_run(db, DB_CHECK_JSON, parameters, NULL, err)) return true;
  if (!sqlstate_is_of_data(err->sqlstate)) return false;
  char why[512];
  snprintf(why, sizeof why, "%s", err->message + strcspn(err->message, ":") + 1);
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "start: Postgres cannot store the input:%s", why);
}

/* The run's id, owned by the caller. */
static char *start_run(struct db *db, const struct call *call, const char *input, struct err *err) {
  const char *parameters[] = {call->argv[0], input, call->settings->key};
  PGresult *result;
  if (!check_on_server(db, input, err) || !db_run(db, DB_START_FLOW, parameters, &result, err)) return NULL;
  char *run_id = xstrdup(db_text(result, 0, 0));
  PQclear(result);
  return run_id;
}

/* A dev that is starting may not have deployed the flow yet. */
static char *start_when_deployed(struct db *db, const struct call *call, const char *input, struct err *err) {
  bool starting = client_dev_is_starting(call->settings);
  char *run_id = start_run(db, call, input, err);
  if (run_id || !starting || !sqlstate_lacks_flow(err->sqlstate)) return run_id;
  if (client_await_dev(call->settings)) return start_run(db, call, input, err);
  err_hint(err, "luaflow dev is still starting: try again when it prints that it is ready");
  return NULL;
}

/* A JSON string of a run id needs no escapes. */
static void print_run(const struct call *call, const char *run_id) {
  say(stdout, call->settings->json ? "{\"run_id\": \"%s\"}\n" : "%s\n", run_id);
}

int command_start(const struct call *call) {
  struct err err;
  struct db db;
  char *input = json_read("start: the input", call->argc > 1 ? call->argv[1] : "{}", &err);
  if (!input) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "start", ROLE_STARTER, &db, &err)) {
    free(input);
    return cli_fail(&err);
  }
  char *run_id = start_when_deployed(&db, call, input, &err);
  int code = EXIT_DONE;
  if (!run_id)
    code = cli_fail(&err);
  else if (call->settings->wait)
    code = outcome_wait(&db, run_id, call->settings->json);
  else
    print_run(call, run_id);
  free(run_id);
  free(input);
  db_close(&db);
  return code;
}
