/* luaflow flows: lists the versions of each alias and why an old one is still needed; retires aliases, deletes
 * versions. */
#include <stdio.h>

#include "base/say.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

static const struct verb verbs[] = {{"retire", "ALIAS", 1, 1}, {"forget", "SLUG", 1, 1}};
enum verb_index { RETIRE, FORGET, VERB_COUNT };

/* The columns of the FLOWS statement. */
enum { ALIAS, SLUG, ACTIVE, ALIAS_IS_ACTIVE, RUNS, TASKS, DROPPABLE, HELD_BY, ROUTES, LAST_CHANGE, CHANGE_AGE };

static void put_state(struct table *table, const PGresult *result, int row) {
  if (db_bool(result, row, ACTIVE))
    table_put(table, TONE_GOOD, "active");
  else
    table_put(table, TONE_FAINT, db_bool(result, row, ALIAS_IS_ACTIVE) ? "inactive" : "retired");
}

static void put_last_change(struct table *table, const PGresult *result, int row) {
  const char *change = db_text(result, row, LAST_CHANGE);
  char age[32];
  if (!change) {
    table_put(table, TONE_PLAIN, NULL);
    return;
  }
  format_duration(age, sizeof age, db_number(result, row, CHANGE_AGE));
  table_printf(table, TONE_PLAIN, "%s (%s ago)", change, age);
}

static void print_flows(const PGresult *result) {
  static const struct table_column columns[] = {
      {"ALIAS", 3, 8, false}, {"FLOW", 0, 8, false},       {"STATE", 0, 0, false},   {"RUNS", 0, 0, false},
      {"TASKS", 2, 0, false}, {"DROPPABLE", 0, 24, false}, {"ROUTES", 0, 16, false}, {"OPTION CHANGED", 0, 0, true},
  };
  struct table table = table_begin(columns, 8);
  for (int row = 0; row < PQntuples(result); row++) {
    const char *held_by = db_text(result, row, HELD_BY);
    table_put(&table, TONE_PLAIN, db_text(result, row, ALIAS));
    table_put(&table, TONE_PLAIN, db_text(result, row, SLUG));
    put_state(&table, result, row);
    table_put(&table, TONE_PLAIN, db_text(result, row, RUNS));
    table_put(&table, TONE_PLAIN, db_text(result, row, TASKS));
    if (db_bool(result, row, DROPPABLE))
      table_put(&table, TONE_GOOD, "yes");
    else if (db_bool(result, row, ACTIVE) || !held_by)
      table_put(&table, TONE_PLAIN, "no");
    else
      table_printf(&table, TONE_BUSY, "no: %s", held_by);
    table_put(&table, TONE_FAINT, db_text(result, row, ROUTES));
    put_last_change(&table, result, row);
  }
  table_print(&table, "there is no flow yet: a worker deploys its flows when it starts");
}

static bool retire(struct db *db, const char *alias, bool quiet, struct err *err) {
  const char *parameters[] = {alias};
  PGresult *result;
  if (!show_check_names(db, DB_ALIAS_NAMES, "alias", "flows", &alias, 1, err) ||
      !db_run(db, DB_RETIRE_ALIAS, parameters, &result, err))
    return false;
  const char *was = db_text(result, 0, 0);
  if (was && !quiet)
    say(stdout, "%s is retired: its active version was %s; new starts are refused\n", alias, was);
  else if (!quiet)
    say(stdout, "%s already had no active version\n", alias);
  PQclear(result);
  return true;
}

static bool forget(struct db *db, const char *slug, bool quiet, struct err *err) {
  const char *parameters[] = {slug};
  if (!show_check_names(db, DB_FLOW_SLUGS, "flow", "flows", &slug, 1, err) ||
      !db_run(db, DB_FORGET_FLOW, parameters, NULL, err))
    return false;
  if (!quiet) say(stdout, "flow %s is deleted\n", slug);
  return true;
}

int command_flows(const struct call *call) {
  struct db db;
  struct err err;
  int verb = call->argc > 0 ? show_find_verb(call, "flows", verbs, VERB_COUNT, &err) : -1;
  if (call->argc > 0 && verb < 0) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "flows", verb < 0 ? ROLE_READER : ROLE_OPERATOR, &db, &err))
    return cli_fail(&err);
  bool ok = true, json = call->settings->json;
  if (verb == RETIRE) ok = retire(&db, call->argv[1], json, &err);
  if (verb == FORGET) ok = forget(&db, call->argv[1], json, &err);
  if (ok && (verb < 0 || json)) ok = show_list(&db, call->settings, DB_FLOWS, DB_FLOWS_JSON, NULL, print_flows, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
