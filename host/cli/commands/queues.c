/* luaflow queues: lists what waits in each queue, for how long, and how many workers serve it. */
#include <stdio.h>

#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

static void print_queues(const PGresult *result) {
  static const struct table_column columns[] = {
      {"QUEUE", 0, 8, false},     {"DEPTH", 0, 0, false},   {"VISIBLE", 2, 0, false},    {"OLDEST", 1, 0, false},
      {"IN FLIGHT", 3, 0, false}, {"WORKERS", 0, 0, false}, {"NOT COVERED", 0, 0, true},
  };
  struct table table = table_begin(columns, 7);
  for (int row = 0; row < PQntuples(result); row++) {
    bool unserved = db_number(result, row, 5) == 0 && db_number(result, row, 1) > 0;
    const char *uncovered = db_text(result, row, 6);
    table_put(&table, TONE_PLAIN, db_text(result, row, 0));
    table_put(&table, TONE_PLAIN, db_text(result, row, 1));
    table_put(&table, TONE_PLAIN, db_text(result, row, 2));
    table_put_duration(&table, TONE_FAINT, db_text(result, row, 3) ? db_number(result, row, 3) : -1, "");
    table_put(&table, TONE_PLAIN, db_text(result, row, 4));
    table_put(&table, unserved ? TONE_BAD : TONE_PLAIN, db_text(result, row, 5));
    table_put(&table, TONE_BAD, uncovered && *uncovered ? uncovered : NULL);
  }
  table_print(&table, "there is no queue yet: workers create queues when they deploy flows");
}

int command_queues(const struct call *call) {
  struct db db;
  struct err err;
  if (!client_connect_to_schema(call->settings, "queues", ROLE_READER, &db, &err)) return cli_fail(&err);
  bool ok = show_list(&db, call->settings, DB_QUEUES, DB_QUEUES_JSON, NULL, print_queues, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
