/* luaflow workers: lists each worker with its state, its tasks in flight and its troubles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

static enum tone tone_of(const char *state) {
  if (strcmp(state, "running") == 0) return TONE_GOOD;
  if (strcmp(state, "dead") == 0) return TONE_BAD;
  return strcmp(state, "stopped") == 0 ? TONE_FAINT : TONE_BUSY;
}

static size_t indent_of(const char *line) { return strspn(line, " "); }

/* The first line and those below it that each go deeper than the one before, in one line, and how many others there
 * are; owned by the caller. NULL: none. */
static char *in_brief(const char *text) {
  struct buf out = {0};
  size_t others = 0, deepest = 0;
  for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    size_t indent = indent_of(line);
    if (line > text && (others > 0 || indent <= deepest)) {
      others++;
      continue;
    }
    buf_printf(&out, "%s%.*s", line > text ? "; " : "", (int)strcspn(line + indent, "\n"), line + indent);
    deepest = indent;
  }
  if (others > 0) buf_printf(&out, "; and %zu more", others);
  return out.data;
}

/* A clock that is set back by a little, as by its synchronization, is not worth a word. */
enum { CLOCK_SLACK_MS = 1000 };

static void put_heartbeat(struct table *table, long long age_ms) {
  if (age_ms < -CLOCK_SLACK_MS)
    table_put(table, TONE_BAD, "in the future");
  else
    table_put_duration(table, TONE_FAINT, age_ms > 0 ? age_ms : 0, " ago");
}

enum { OLD = 8, OLD_BRIEF }; /* columns of the statement; NULL where no old generation holds a task */

static bool has_old(const PGresult *result) {
  for (int row = 0; row < PQntuples(result); row++)
    if (db_text(result, row, OLD)) return true;
  return false;
}

static void put_old(struct table *table, const PGresult *result, int row) {
  const char *old = db_text(result, row, OLD);
  table_put(table, TONE_BUSY, old);
  if (old) table_put_brief(table, db_text(result, row, OLD_BRIEF));
}

static void print_workers(const PGresult *result) {
  static const struct table_column columns[] = {
      {"WORKER", 0, 9, false},     {"QUEUE", 0, 8, false},     {"FUNCTION", 3, 8, false},  {"STATE", 0, 0, false},
      {"GENERATION", 2, 0, false}, {"IN FLIGHT", 0, 0, false}, {"HEARTBEAT", 1, 0, false}, {"TROUBLE", 0, 0, true},
  };
  static const struct table_column with_old[] = {
      {"WORKER", 0, 9, false},    {"QUEUE", 0, 8, false},           {"FUNCTION", 3, 8, false},
      {"STATE", 0, 0, false},     {"GENERATION", 2, 0, false},      {"IN FLIGHT", 0, 0, false},
      {"HEARTBEAT", 1, 0, false}, {"OLD GENERATIONS", 0, 0, false}, {"TROUBLE", 0, 0, true},
  };
  bool old = has_old(result);
  struct table table = old ? table_begin(with_old, 9) : table_begin(columns, 8);
  for (int row = 0; row < PQntuples(result); row++) {
    const char *state = db_text(result, row, 3);
    for (int column = 0; column < 6; column++)
      table_put(&table, column == 3 ? tone_of(state) : TONE_PLAIN, db_text(result, row, column));
    put_heartbeat(&table, db_number(result, row, 6));
    if (old) put_old(&table, result, row);
    char *trouble = in_brief(db_text(result, row, 7));
    table_put(&table, TONE_BAD, trouble);
    free(trouble);
  }
  table_print(&table, "there is no worker; --all also lists stopped ones");
}

int command_workers(const struct call *call) {
  const char *parameters[] = {call->settings->all ? "t" : "f"};
  struct db db;
  struct err err;
  if (!client_connect_to_schema(call->settings, "workers", ROLE_READER, &db, &err)) return cli_fail(&err);
  bool ok = show_list(&db, call->settings, DB_WORKERS, DB_WORKERS_JSON, parameters, print_workers, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
