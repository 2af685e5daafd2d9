/* luaflow functions: lists worker functions with their switches (the fence); enables, disables and deletes them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

enum { MOST_NAMES = 10000 };

static const struct verb verbs[] = {
    {"enable", "NAME...", 1, MOST_NAMES}, {"disable", "NAME...", 1, MOST_NAMES}, {"forget", "NAME", 1, 1}};
enum verb_index { ENABLE, DISABLE, FORGET, VERB_COUNT };

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
  table_print(&table, "there is no worker function yet: a worker records its own when it starts");
}

static bool switch_functions(struct db *db, bool enable, const char *const *names, int count, bool quiet,
                             struct err *err) {
  char *array = show_array(names, count);
  const char *parameters[] = {array};
  PGresult *result;
  bool ok = db_run(db, enable ? DB_ENABLE_FUNCTIONS : DB_DISABLE_FUNCTIONS, parameters, &result, err);
  free(array);
  if (!ok) return false;
  bool any_live = false;
  for (int row = 0; row < PQntuples(result) && !quiet; row++) {
    say(stdout, "%s %s %s\n", db_text(result, row, 0), db_bool(result, row, 1) == enable ? "was already" : "is now",
        enable ? "enabled" : "disabled");
    any_live = any_live || db_number(result, row, 2) > 0;
  }
  if (any_live && !enable)
    say(stdout, "workers that run continue until they restart; to stop them too, use luaflow rollout begin\n");
  PQclear(result);
  return true;
}

static bool forget_function(struct db *db, const char *name, bool quiet, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_FORGET_FUNCTION, &name, &result, err)) return false;
  if (!quiet)
    say(stdout, "worker function %s is deleted; a worker of this name records it again when it starts\n", name);
  PQclear(result);
  return true;
}

static bool change_functions(struct db *db, enum verb_index verb, const struct call *call, struct err *err) {
  const char *const *names = (const char *const *)call->argv + 1;
  int count = call->argc - 1;
  bool quiet = call->settings->json;
  if (!show_check_names(db, DB_FUNCTION_NAMES, "worker function", "functions", names, count, err)) return false;
  if (verb == FORGET) return forget_function(db, names[0], quiet, err);
  return switch_functions(db, verb == ENABLE, names, count, quiet, err);
}

int command_functions(const struct call *call) {
  struct db db;
  struct err err;
  int verb = call->argc > 0 ? show_find_verb(call, "functions", verbs, VERB_COUNT, &err) : -1;
  if (call->argc > 0 && verb < 0) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "functions", verb < 0 ? ROLE_READER : ROLE_OPERATOR, &db, &err))
    return cli_fail(&err);
  bool ok = true, json = call->settings->json;
  if (verb >= 0) ok = change_functions(&db, (enum verb_index)verb, call, &err);
  if (ok && (verb < 0 || json))
    ok = show_list(&db, call->settings, DB_FUNCTIONS, DB_FUNCTIONS_JSON, NULL, print_functions, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
