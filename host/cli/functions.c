/* luaflow functions: the worker functions with their switches, the fence; and the switching. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/client.h"
#include "cli/commands.h"
#include "cli/show.h"
#include "cli/table.h"

enum { MOST_NAMES = 10000 };

static const struct verb verbs[] = {{"enable", "NAME...", 1, MOST_NAMES}, {"disable", "NAME...", 1, MOST_NAMES}};
enum verb_index { ENABLE, DISABLE, VERB_COUNT };

static void print_functions(const PGresult *result) {
  static const struct table_column columns[] = {
      {"FUNCTION", 0, 8, false}, {"SWITCH", 0, 0, false}, {"WORKERS", 0, 0, false},
      {"QUEUES", 1, 8, false},   {"ROLLOUT", 0, 0, true},
  };
  struct table table = table_begin(columns, 5);
  for (int row = 0; row < PQntuples(result); row++) {
    bool enabled = db_bool(result, row, 1);
    table_put(&table, TONE_PLAIN, db_text(result, row, 0));
    table_put(&table, enabled ? TONE_GOOD : TONE_BAD, enabled ? "enabled" : "disabled");
    table_put(&table, TONE_PLAIN, db_text(result, row, 2));
    table_put(&table, TONE_PLAIN, db_text(result, row, 3));
    const char *before = db_bool(result, row, 5) ? "in the rollout; enabled before" : "in the rollout; disabled before";
    table_put(&table, TONE_BUSY, db_bool(result, row, 4) ? before : NULL);
  }
  table_print(&table);
}

static bool switch_functions(struct db *db, bool enable, char **names, int count, bool quiet, struct err *err) {
  if (!show_check_names(db, DB_FUNCTION_NAMES, "worker function", (const char *const *)names, count, err)) return false;
  char *array = show_array(names, count);
  const char *parameters[] = {array};
  PGresult *result;
  bool ok = db_run(db, enable ? DB_ENABLE_FUNCTIONS : DB_DISABLE_FUNCTIONS, parameters, &result, err);
  free(array);
  if (!ok) return false;
  for (int row = 0; row < PQntuples(result) && !quiet; row++)
    printf("%s %s %s\n", db_text(result, row, 0), db_bool(result, row, 1) == enable ? "was already" : "is now",
           enable ? "enabled" : "disabled");
  PQclear(result);
  return true;
}

int command_functions(const struct call *call) {
  struct db db;
  struct err err;
  int verb = call->argc > 0 ? show_find_verb(call, "functions", verbs, VERB_COUNT, &err) : -1;
  if (call->argc > 0 && verb < 0) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "functions", &db, &err)) return cli_fail(&err);
  bool ok = true, json = call->settings->json;
  if (verb >= 0) ok = switch_functions(&db, verb == ENABLE, call->argv + 1, call->argc - 1, json, &err);
  if (ok && (verb < 0 || json))
    ok = show_list(&db, call->settings, DB_FUNCTIONS, DB_FUNCTIONS_JSON, NULL, print_functions, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
