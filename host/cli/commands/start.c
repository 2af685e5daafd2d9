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

struct started {
  char *run_id; /* owned, like the next; NULL: not started */
  char *json;   /* with its alias and its concrete slug */
};

static bool start_run(struct db *db, const struct call *call, const char *input, struct started *run, struct err *err) {
  const char *parameters[] = {call->argv[0], input, call->settings->key};
  PGresult *result;
  if (!check_on_server(db, input, err) || !db_run(db, DB_START_FLOW, parameters, &result, err)) return false;
  run->run_id = xstrdup(db_text(result, 0, 0));
  run->json = xstrdup(db_text(result, 0, 1));
  PQclear(result);
  return true;
}

/* A dev that is starting may not have deployed the flow yet. */
static bool start_when_deployed(struct db *db, const struct call *call, const char *input, struct started *run,
                                struct err *err) {
  bool starting = client_dev_is_starting(call->settings);
  if (start_run(db, call, input, run, err)) return true;
  if (!starting || !sqlstate_lacks_flow(err->sqlstate)) return false;
  if (client_await_dev(call->settings)) return start_run(db, call, input, run, err);
  return err_hint(err, "luaflow dev is still starting: try again when it prints that it is ready");
}

static int report(struct db *db, const struct call *call, const struct started *run) {
  if (call->settings->wait) return outcome_wait(db, run->run_id, call->settings->json);
  if (call->settings->json)
    say_json(stdout, run->json, strlen(run->json));
  else
    say(stdout, "%s\n", run->run_id);
  return EXIT_DONE;
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
  struct started run = {0};
  bool ok = start_when_deployed(&db, call, input, &run, &err);
  int code = ok ? report(&db, call, &run) : cli_fail(&err);
  free(run.run_id);
  free(run.json);
  free(input);
  db_close(&db);
  return code;
}
