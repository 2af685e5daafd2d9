/* luaflow runs: lists the latest runs, one a line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error_text.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/runview.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

/* The columns of the RUNS statement. */
enum { RUN, FLOW, STATUS, STARTED_AGO, TOOK, STEPS_DONE, STEPS, ERROR_STEP, ERROR };

/* The reason alone, without its step and its place in the file. */
static const char *brief_reason(const char *error) {
  const char *place = strstr(error, ".lua:");
  const char *end = place ? place + strlen(".lua:") : NULL;
  if (end) end += strspn(end, "0123456789");
  return end && strncmp(end, ": ", 2) == 0 && !memchr(error, ' ', (size_t)(end - error)) ? end + 2 : error;
}

static void put_reason(struct table *table, const PGresult *result, int row) {
  const char *step = db_text(result, row, ERROR_STEP), *stored = db_text(result, row, ERROR);
  if (!stored) {
    table_put(table, TONE_PLAIN, NULL);
    return;
  }
  char *error = error_text(stored);
  table_printf(table, TONE_BAD, "%s%s%s", step ? step : "", step ? ": " : "", error);
  table_put_brief(table, brief_reason(error));
  free(error);
}

static void print_runs(const PGresult *result) {
  static const struct table_column columns[] = {
      {"RUN", 0, 9, false},  {"FLOW", 0, 8, false},    {"STATUS", 0, 0, false}, {"STEPS", 1, 0, false},
      {"TOOK", 2, 0, false}, {"STARTED", 3, 0, false}, {"", 0, 0, true},
  };
  struct table table = table_begin(columns, 7);
  for (int row = 0; row < PQntuples(result); row++) {
    table_put(&table, TONE_PLAIN, db_text(result, row, RUN));
    table_put(&table, TONE_PLAIN, db_text(result, row, FLOW));
    table_put(&table, run_status_tone(run_status_parse(db_text(result, row, STATUS))), db_text(result, row, STATUS));
    table_printf(&table, TONE_PLAIN, "%s of %s", db_text(result, row, STEPS_DONE), db_text(result, row, STEPS));
    table_put_duration(&table, TONE_PLAIN, db_number(result, row, TOOK), "");
    table_put_duration(&table, TONE_FAINT, db_number(result, row, STARTED_AGO), " ago");
    put_reason(&table, result, row);
  }
  table_print(&table, "no run matches");
}

int command_runs(const struct call *call) {
  const struct settings *settings = call->settings;
  char limit[32];
  snprintf(limit, sizeof limit, "%lld", (long long)settings->limit);
  const char *parameters[] = {settings->flow, settings->status, limit};
  struct db db;
  struct err err;
  if (!client_connect_to_schema(settings, "runs", ROLE_READER, &db, &err)) return cli_fail(&err);
  bool ok = (!settings->flow ||
             show_check_names(&db, DB_STARTABLE_NAMES, "flow or alias", "flows", &settings->flow, 1, &err)) &&
            show_list(&db, settings, DB_RUNS, DB_RUNS_JSON, parameters, print_runs, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
